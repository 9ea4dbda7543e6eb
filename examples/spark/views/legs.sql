-- The legs of all workspaces, in the terms of the books. Null means unknown. An unknown amount is never treated as 0.
CREATE OR REPLACE TEMPORARY VIEW legs AS
WITH named AS (
  SELECT
    workspace_id, id, transaction_id, timestamp, position, type, label,
    coalesce(wallet_id, '') AS wallet_id,
    nullif(asset_id, '') AS asset_id,
    coalesce(nullif(asset_symbol, ''), nullif(asset_raw_symbol, ''), '') AS symbol,
    asset_type,
    to_account_wallet_id,
    nullif(base_currency, '') AS base_currency,
    -- A type other than these three has no direction.
    CASE type WHEN 'incoming' THEN 1 WHEN 'outgoing' THEN -1 WHEN 'fee' THEN -1 END AS sign,
    -- An amount that does not fit DECIMAL(38,18) stands only in the column `…_exact`. An amount that is not a decimal string
    -- also stands in `other_fields`. Both are unknown here.
    IF(contains(other_fields, '"quantity"'), NULL, quantity) AS quantity,
    IF(contains(other_fields, '"beforeBalance"'), NULL, before_balance) AS before_balance,
    IF(contains(other_fields, '"afterBalance"'), NULL, after_balance) AS after_balance,
    -- Whether the lake shows the balance after the leg, or that there is none. The order may be in another time window.
    position IS NOT NULL AND (after_balance IS NOT NULL OR after_balance_exact IS NULL) AS is_settled,
    IF(contains(other_fields, '"costbasis"'), NULL, costbasis) AS costbasis,
    IF(contains(other_fields, '"proceeds"'), NULL, proceeds) AS proceeds,
    IF(contains(other_fields, '"profit"'), NULL, profit) AS profit,
    -- The value is in the currency of the price. A cast would round a number with more digits.
    CASE
      WHEN base_currency IS NULL OR base_currency = '' OR nullif(price_base_currency, '') <> base_currency THEN NULL
      WHEN value RLIKE '^-?[0-9]{1,20}([.][0-9]{1,18})?$' THEN CAST(value AS DECIMAL(38, 18))
    END AS value
  FROM ledgers
),
keyed AS (
  SELECT
    *,
    sign * quantity AS change,
    -- The symbol identifies an asset that has no id. A leg with neither has an asset of its own.
    coalesce('id:' || asset_id, 'symbol:' || symbol) AS asset,
    asset_id IS NULL AND symbol = '' AS is_nameless,
    -- The balance after the leg is unknown if the order of the legs of its millisecond is unknown.
    IF(position IS NULL, NULL, after_balance) AS balance,
    -- The order of the legs of a wallet and asset.
    struct(timestamp, position, id) AS place
  FROM named
),
linked AS (
  SELECT
    *,
    -- The balance after the leg before, in the same millisecond.
    lag(after_balance) OVER (PARTITION BY workspace_id, wallet_id, asset, timestamp ORDER BY position) AS previous_balance
  FROM keyed
)
SELECT
  *,
  -- The balance before the first leg of a millisecond. With several legs, it is known only if their balances form a chain.
  CASE
    WHEN position = 1 AND (
      is_nameless
      OR count(*) OVER moment = 1
      OR every(after_balance IS NOT NULL AND coalesce(position = 1 OR before_balance = previous_balance, false)) OVER moment
    ) THEN before_balance
  END AS opening
FROM linked
WINDOW moment AS (PARTITION BY workspace_id, wallet_id, asset, timestamp)
