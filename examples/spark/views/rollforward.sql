-- opening + in − out − fees = closing for each wallet and asset, as `cryptodata ledgers rollforward` computes it. A line that
-- does not add up has a `difference` other than 0.
CREATE OR REPLACE TEMPORARY VIEW rollforward AS
WITH lines AS (
  SELECT
    workspace_id,
    wallet_id,
    asset_id,
    min(symbol) AS symbol,
    count_if(timestamp >= starts) AS legs,
    -- The place of a leg without a time is unknown. Several legs without an asset may be of different assets.
    count_if(timestamp IS NULL) > 0 OR (is_nameless AND count(*) > 1) AS is_open,
    max_by(balance, place) FILTER (WHERE timestamp < starts) AS balance_before,
    coalesce(max_by(is_settled, place) FILTER (WHERE timestamp < starts), true) AS is_settled,
    min_by(opening, place) FILTER (WHERE timestamp >= starts) AS first_opening,
    max_by(balance, place) AS closing,
    count_if(timestamp >= starts AND sign IS NULL) > 0
      OR (is_nameless AND count_if(timestamp >= starts) > 1) AS is_unknown,
    coalesce(sum(quantity) FILTER (WHERE timestamp >= starts AND type = 'incoming'), 0) AS `in`,
    coalesce(sum(quantity) FILTER (WHERE timestamp >= starts AND type = 'outgoing'), 0) AS `out`,
    coalesce(sum(quantity) FILTER (WHERE timestamp >= starts AND type = 'fee'), 0) AS fees,
    count_if(timestamp >= starts AND type = 'incoming' AND quantity IS NULL) AS in_unknown,
    count_if(timestamp >= starts AND type = 'outgoing' AND quantity IS NULL) AS out_unknown,
    count_if(timestamp >= starts AND type = 'fee' AND quantity IS NULL) AS fees_unknown,
    -- Values in different currencies are never added.
    count(DISTINCT base_currency) FILTER (WHERE timestamp >= starts) AS currencies,
    min(base_currency) FILTER (WHERE timestamp >= starts) AS base_currency,
    sum(value) FILTER (WHERE timestamp >= starts) AS value,
    count_if(timestamp >= starts AND value IS NULL) AS value_unknown,
    sum(costbasis) FILTER (WHERE timestamp >= starts AND base_currency IS NOT NULL) AS costbasis,
    count_if(timestamp >= starts AND (costbasis IS NULL OR base_currency IS NULL)) AS costbasis_unknown,
    sum(proceeds) FILTER (WHERE timestamp >= starts AND base_currency IS NOT NULL) AS proceeds,
    count_if(timestamp >= starts AND (proceeds IS NULL OR base_currency IS NULL)) AS proceeds_unknown,
    sum(profit) FILTER (WHERE timestamp >= starts AND base_currency IS NOT NULL) AS profit,
    count_if(timestamp >= starts AND (profit IS NULL OR base_currency IS NULL)) AS profit_unknown
  FROM legs CROSS JOIN period
  WHERE timestamp IS NULL OR timestamp < ends
  GROUP BY workspace_id, wallet_id, asset, asset_id, is_nameless
),
amounts AS (
  SELECT
    workspace_id, wallet_id, asset_id, symbol, legs,
    CASE
      WHEN is_open THEN NULL
      WHEN legs = 0 THEN closing
      -- If the books have no balance before the period, the first leg in it states the opening balance.
      ELSE coalesce(balance_before, IF(is_settled, first_opening, NULL))
    END AS opening,
    IF(is_unknown OR in_unknown > 0, NULL, `in`) AS `in`,
    IF(is_unknown OR out_unknown > 0, NULL, `out`) AS `out`,
    IF(is_unknown OR fees_unknown > 0, NULL, fees) AS fees,
    IF(is_open, NULL, closing) AS closing,
    IF(currencies > 1, NULL, base_currency) AS base_currency,
    CASE WHEN legs = 0 THEN 0 WHEN currencies <= 1 THEN value END AS value,
    CASE WHEN legs = 0 THEN 0 WHEN currencies <= 1 THEN costbasis END AS costbasis,
    CASE WHEN legs = 0 THEN 0 WHEN currencies <= 1 THEN proceeds END AS proceeds,
    CASE WHEN legs = 0 THEN 0 WHEN currencies <= 1 THEN profit END AS profit,
    value_unknown, costbasis_unknown, proceeds_unknown, profit_unknown
  FROM lines
)
SELECT
  *,
  closing - (opening + `in` - `out` - fees) AS difference,
  closing - (opening + `in` - `out` - fees) = 0 AS ties_out
FROM amounts
