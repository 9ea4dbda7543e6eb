-- Sums by asset and month, as `cryptodata ledgers export --sum-by asset,month` computes them. Values in different currencies
-- are never added. A quantity is null if a part of it is unknown. A sum of money contains the known values; `…_unknown`
-- counts the others.
CREATE OR REPLACE TEMPORARY VIEW sums AS
WITH sums AS (
  SELECT
    workspace_id,
    min(nullif(symbol, '')) AS symbol,
    asset_id,
    date_format(timestamp, 'yyyy-MM') AS month,
    base_currency,
    count(*) AS legs,
    -- Several legs without an asset may be of different assets.
    is_nameless AND count(*) > 1 AS is_mixed,
    coalesce(sum(quantity) FILTER (WHERE type = 'incoming'), 0) AS incoming,
    coalesce(sum(quantity) FILTER (WHERE type = 'outgoing'), 0) AS outgoing,
    coalesce(sum(quantity) FILTER (WHERE type = 'fee'), 0) AS fee,
    sum(change) AS net,
    count_if(type = 'incoming' AND quantity IS NULL) AS incoming_unknown,
    count_if(type = 'outgoing' AND quantity IS NULL) AS outgoing_unknown,
    count_if(type = 'fee' AND quantity IS NULL) AS fee_unknown,
    count_if(change IS NULL) AS net_unknown,
    IF(count_if(type = 'incoming') = 0, 0, sum(value) FILTER (WHERE type = 'incoming')) AS incoming_value,
    IF(count_if(type = 'outgoing') = 0, 0, sum(value) FILTER (WHERE type = 'outgoing')) AS outgoing_value,
    IF(count_if(type = 'fee') = 0, 0, sum(value) FILTER (WHERE type = 'fee')) AS fee_value,
    count_if(sign IS NULL OR value IS NULL) AS value_unknown,
    IF(base_currency IS NULL, NULL, sum(costbasis)) AS costbasis,
    count_if(costbasis IS NULL OR base_currency IS NULL) AS costbasis_unknown,
    IF(base_currency IS NULL, NULL, sum(proceeds)) AS proceeds,
    count_if(proceeds IS NULL OR base_currency IS NULL) AS proceeds_unknown,
    IF(base_currency IS NULL, NULL, sum(profit)) AS profit,
    count_if(profit IS NULL OR base_currency IS NULL) AS profit_unknown
  FROM legs
  GROUP BY workspace_id, asset, asset_id, is_nameless, month, base_currency
)
SELECT
  workspace_id, symbol, asset_id, month, base_currency, legs,
  IF(is_mixed OR incoming_unknown > 0, NULL, incoming) AS incoming,
  IF(is_mixed OR outgoing_unknown > 0, NULL, outgoing) AS outgoing,
  IF(is_mixed OR fee_unknown > 0, NULL, fee) AS fee,
  IF(is_mixed OR net_unknown > 0, NULL, net) AS net,
  IF(is_mixed, legs, net_unknown) AS quantity_unknown,
  incoming_value, outgoing_value, fee_value, value_unknown,
  costbasis, costbasis_unknown, proceeds, proceeds_unknown, profit, profit_unknown
FROM sums
