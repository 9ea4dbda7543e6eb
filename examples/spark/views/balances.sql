-- The balance of each wallet and asset at the end of the period, as `cryptodata balances --as-of` computes it. It is null if
-- the last leg has no balance, if the order of the last legs is unknown, or if the time of any leg is unknown.
CREATE OR REPLACE TEMPORARY VIEW balances AS
SELECT
  workspace_id,
  wallet_id,
  asset_id,
  min(symbol) AS symbol,
  count(*) AS legs,
  IF(every(timestamp IS NOT NULL) AND NOT (is_nameless AND count(*) > 1), max_by(balance, place), NULL) AS balance,
  IF(every(timestamp IS NOT NULL), max(timestamp), NULL) AS last_leg_at,
  IF(every(timestamp IS NOT NULL), max_by(IF(position IS NULL, NULL, id), place), NULL) AS ledger_id,
  -- The last known balance, and its time.
  IF(is_nameless AND count(*) > 1, NULL, max_by(balance, place) FILTER (WHERE balance IS NOT NULL)) AS last_known,
  IF(is_nameless AND count(*) > 1, NULL, max(timestamp) FILTER (WHERE balance IS NOT NULL)) AS last_known_at
FROM legs CROSS JOIN period
WHERE timestamp IS NULL OR timestamp < ends
GROUP BY workspace_id, wallet_id, asset, asset_id, is_nameless
