-- The legs of the period that are not incoming and have figures, as `cryptodata ledgers disposals` lists them. Only the kind
-- `disposal` is added up. `mismatch` is true if the profit differs from the proceeds minus the cost basis.
CREATE OR REPLACE TEMPORARY VIEW disposals AS
WITH own AS (
  SELECT workspace_id, wallet_id FROM legs
  UNION
  SELECT workspace_id, wallet_id FROM integrations WHERE wallet_id <> ''
)
SELECT
  legs.workspace_id,
  to_date(timestamp) AS date,
  timestamp,
  legs.wallet_id,
  asset_id,
  symbol,
  type,
  CASE
    WHEN sign IS NULL THEN 'unknown'
    WHEN asset_type = 'fiat' THEN 'fiat'
    WHEN type = 'outgoing' AND to_account_wallet_id <> legs.wallet_id AND own.wallet_id IS NOT NULL THEN 'transfer'
    ELSE 'disposal'
  END AS kind,
  quantity,
  proceeds,
  costbasis,
  profit,
  proceeds - costbasis <> profit AS mismatch,
  base_currency,
  label,
  id AS ledger_id,
  transaction_id
FROM legs
CROSS JOIN period
LEFT JOIN own ON own.workspace_id = legs.workspace_id AND own.wallet_id = to_account_wallet_id AND to_account_wallet_id <> ''
WHERE timestamp >= starts AND timestamp < ends
  AND coalesce(type, '') <> 'incoming'
  AND coalesce(proceeds, costbasis, profit) IS NOT NULL
