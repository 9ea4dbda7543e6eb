-- Episodes of negative balance that touch the period, as `cryptodata ledgers negative` computes them. An episode begins at a leg
-- with a balance below zero. It ends at the first balance that is not, or at a leg without a balance if the next leg starts at
-- zero or above. Legs in an unknown order count too: the leg with the lowest balance is taken as the last.
CREATE OR REPLACE TEMPORARY VIEW negative AS
WITH steps AS (
  SELECT
    *,
    -- Each leg without an asset has an episode of its own.
    IF(is_nameless, asset || id, asset) AS pair,
    timestamp >= starts AS in_period,
    coalesce(after_balance < 0, false) AS is_negative,
    struct(id, transaction_id, timestamp, type, quantity, after_balance) AS leg
  FROM legs CROSS JOIN period
  WHERE timestamp < ends
),
numbered AS (
  SELECT
    *,
    row_number() OVER pair_legs AS n,
    row_number() OVER (PARTITION BY workspace_id, wallet_id, pair, in_period ORDER BY timestamp, position, after_balance DESC NULLS LAST, id)
      = 1 AND in_period AS is_first_in_period,
    -- The known balance before the leg.
    lag(balance) OVER pair_legs AS running,
    lag(is_settled, 1, true) OVER pair_legs AS follows_settled,
    coalesce(lag(after_balance) OVER pair_legs >= 0, false) AS follows_end,
    lag(after_balance IS NULL, 1, false) OVER pair_legs AS follows_unknown
  FROM steps
  WINDOW pair_legs AS (PARTITION BY workspace_id, wallet_id, pair ORDER BY timestamp, position, after_balance DESC NULLS LAST, id)
),
grouped AS (
  SELECT
    *,
    coalesce(before_balance, running) AS before,
    -- Each run of legs up to the end of an episode has a number.
    sum(IF(follows_end OR (follows_unknown AND coalesce(before_balance >= 0, false)), 1, 0))
      OVER (PARTITION BY workspace_id, wallet_id, pair ORDER BY n) AS run,
    max(IF(is_first_in_period, coalesce(running, IF(follows_settled, opening, NULL)), NULL)) OVER whole_pair AS first_opening,
    max(in_period) OVER whole_pair AS has_period,
    max_by(balance, n) OVER whole_pair AS last_balance
  FROM numbered
  WINDOW whole_pair AS (PARTITION BY workspace_id, wallet_id, pair)
),
marked AS (
  SELECT
    *,
    max(run) OVER (PARTITION BY workspace_id, wallet_id, pair) AS last_run,
    min(IF(is_negative, n, NULL)) OVER (PARTITION BY workspace_id, wallet_id, pair, run) AS first_negative
  FROM grouped
),
episodes AS (
  SELECT
    workspace_id,
    wallet_id,
    asset,
    asset_id,
    min(symbol) AS symbol,
    count_if(is_negative AND in_period) AS legs,
    min_by(leg, n) FILTER (WHERE is_negative AND in_period) AS first,
    min_by(leg, struct(after_balance, n)) FILTER (WHERE is_negative AND in_period) AS deepest,
    min_by(leg, struct(after_balance, n)) FILTER (WHERE is_negative) AS deepest_of_all,
    IF(max_by(after_balance, n) >= 0 OR run < last_run, max_by(leg, n), NULL) AS `end`,
    IF(has_period, any_value(first_opening), any_value(last_balance)) AS opening_balance,
    min_by(before, n) FILTER (WHERE is_negative AND in_period) AS before,
    min_by(IF(sign = -1 AND coalesce(before, after_balance - change) >= 0, leg, NULL), n) FILTER (WHERE is_negative) AS began,
    min(timestamp) FILTER (WHERE is_negative) AS negative_since,
    coalesce(
      min(timestamp) FILTER (WHERE is_negative) < any_value(starts)
        OR (bool_or(is_first_in_period) AND any_value(first_opening) < 0
          AND coalesce(min_by(before, n) FILTER (WHERE is_negative), -1) < 0),
      false
    ) AS since_before,
    count_if(after_balance IS NULL AND in_period AND n > first_negative) AS unknown_legs,
    count_if(position IS NULL) AS unordered_legs,
    any_value(starts) AS starts
  FROM marked
  WHERE first_negative IS NOT NULL
  GROUP BY workspace_id, wallet_id, pair, asset, asset_id, run, last_run, has_period
)
SELECT
  episodes.workspace_id, wallet_id, asset_id, symbol, legs, first, deepest, deepest_of_all, `end`,
  -- A leg without a time may lie before the period.
  IF(untimed.asset IS NULL, opening_balance, NULL) AS opening_balance,
  before, began, negative_since, since_before, unknown_legs, unordered_legs
FROM episodes
LEFT JOIN (SELECT DISTINCT workspace_id, wallet_id, asset FROM legs WHERE timestamp IS NULL) AS untimed
  USING (workspace_id, wallet_id, asset)
WHERE `end` IS NULL OR `end`.timestamp >= starts
