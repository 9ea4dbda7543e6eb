# cryptodata completions for bash. Generated from the command tree; do not edit.

__cryptodata_command() {
  case $1 in
    '')
      subcommands='login logout whoami token ledgers audit close mirror balances holdings txns labels assets spam contacts counter-parties providers legacy api integrations sync csv events sandbox config profiles completion commands schema mcp doctor help'
      flags='--version'
      ;;
    'login')
      flags='--no-browser --timeout --scopes --with-api-key'
      ;;
    'logout')
      flags='--all'
      ;;
    'whoami')
      flags='--columns --fresh'
      ;;
    'token')
      flags='--min-ttl --introspect'
      ;;
    'ledgers')
      subcommands='list get negative explain rollforward disposals export verify diff'
      flags='--wallet --asset --transaction-ids --asset-ids --types --providers --has-missing-price --has-missing-asset --lt-after-balance --gt-after-balance --from --to --period --fiscal-year-start --start-time --end-time --query --sort-by --sort-order --limit --offset --all --sum-by --columns'
      ;;
    'ledgers list')
      flags='--wallet --asset --transaction-ids --asset-ids --types --providers --has-missing-price --has-missing-asset --lt-after-balance --gt-after-balance --from --to --period --fiscal-year-start --start-time --end-time --query --sort-by --sort-order --limit --offset --all --sum-by --columns'
      ;;
    'ledgers get')
      flags='--columns'
      ;;
    'ledgers negative')
      flags='--wallet --asset --transaction-ids --asset-ids --types --providers --has-missing-price --has-missing-asset --from --to --period --fiscal-year-start --start-time --end-time --query --exit-code --columns'
      ;;
    'ledgers explain')
      flags='--from --to --period --fiscal-year-start --file --mirror --dust --min-total-gains'
      ;;
    'ledgers rollforward')
      flags='--from --to --period --fiscal-year-start --file --mirror --wallet --asset --by --exit-code --columns --chart'
      ;;
    'ledgers disposals')
      flags='--from --to --period --fiscal-year-start --file --mirror --wallet --asset --include --columns'
      ;;
    'ledgers export')
      flags='--out --format --overwrite --wallet --asset --transaction-ids --asset-ids --types --providers --has-missing-price --has-missing-asset --lt-after-balance --gt-after-balance --from --to --period --fiscal-year-start --start-time --end-time --query --sum-by --columns --csv-guard --csv-dialect --separator --decimal-comma --parquet-decimals --parquet-numbers --partition-by --accounts --roll-up --resume --restart --concurrency --max-rps --patience'
      ;;
    'ledgers verify')
      flags='--offline --deep --columns'
      ;;
    'ledgers diff')
      flags='--mirror --sums --exit-code --columns'
      ;;
    'audit')
      subcommands='run explain'
      flags='--from --to --period --fiscal-year-start --file --mirror --dust --min-total-gains --wallet --asset --check --ignore --all --exit-code --columns --report --overwrite'
      ;;
    'audit run')
      flags='--from --to --period --fiscal-year-start --file --mirror --dust --min-total-gains --wallet --asset --check --ignore --all --exit-code --columns --report --overwrite'
      ;;
    'audit explain')
      flags='--from --to --period --fiscal-year-start --file --mirror --dust --min-total-gains'
      ;;
    'close')
      subcommands='run verify'
      flags='--from --to --period --fiscal-year-start --mirror --out --overwrite --dust --ignore --journal --accounts'
      ;;
    'close run')
      flags='--from --to --period --fiscal-year-start --mirror --out --overwrite --dust --ignore --journal --accounts'
      ;;
    'close verify')
      flags='--offline --mirror --columns'
      ;;
    'mirror')
      subcommands='run status changes sql load'
      flags='--full --tables --concurrency --max-rps --patience'
      ;;
    'mirror run')
      flags='--full --tables --concurrency --max-rps --patience'
      ;;
    'mirror status')
      flags='--deep --max-age --exit-code'
      ;;
    'mirror changes')
      flags='--from --to --period --sums --exit-code --columns'
      ;;
    'mirror sql')
      flags='--schema'
      ;;
    'mirror load')
      flags='--to --schema --full'
      ;;
    'balances')
      subcommands='list'
      flags='--as-of --file --mirror --wallet --asset --by --hide-zero --columns --chart'
      ;;
    'balances list')
      flags='--as-of --file --mirror --wallet --asset --by --hide-zero --columns --chart'
      ;;
    'holdings')
      subcommands='list nfts defi balances'
      flags='--limit --offset --all --query --columns --chart'
      ;;
    'holdings list')
      flags='--limit --offset --all --query --columns --chart'
      ;;
    'holdings nfts')
      flags='--limit --offset --all --query --columns'
      ;;
    'holdings defi')
      flags='--totals --limit --offset --all --query --columns'
      ;;
    'holdings balances')
      flags='--limit --offset --all --query --columns'
      ;;
    'txns')
      subcommands='list ledgers export batch'
      flags='--preset --types --labels --not-labels --not-wallet-ids --is-uncategorised-ignored --min-total-gains --is-high-pnl-reviewed --is-missing-transaction --has-missing-price --query --from --to --period --fiscal-year-start --limit --offset --all --columns'
      ;;
    'txns list')
      flags='--preset --types --labels --not-labels --not-wallet-ids --is-uncategorised-ignored --min-total-gains --is-high-pnl-reviewed --is-missing-transaction --has-missing-price --query --from --to --period --fiscal-year-start --limit --offset --all --columns'
      ;;
    'txns ledgers')
      flags='--query --columns'
      ;;
    'txns export')
      flags='--out --format --overwrite --preset --types --labels --not-labels --not-wallet-ids --is-uncategorised-ignored --min-total-gains --is-high-pnl-reviewed --is-missing-transaction --has-missing-price --query --from --to --period --fiscal-year-start --columns --csv-guard --csv-dialect --separator --decimal-comma --parquet-decimals --parquet-numbers'
      ;;
    'txns batch')
      flags='--yes --dry-run'
      ;;
    'labels')
      subcommands='list'
      flags='--limit --offset --all --query --columns'
      ;;
    'labels list')
      flags='--limit --offset --all --query --columns'
      ;;
    'assets')
      subcommands='search'
      flags='--contract-address --text-parameter --limit --offset --all --query --columns'
      ;;
    'assets search')
      flags='--contract-address --text-parameter --limit --offset --all --query --columns'
      ;;
    'spam')
      subcommands='list'
      flags='--limit --offset --all --query --columns'
      ;;
    'spam list')
      flags='--limit --offset --all --query --columns'
      ;;
    'contacts')
      subcommands='list'
      flags='--limit --offset --all --query --columns'
      ;;
    'contacts list')
      flags='--limit --offset --all --query --columns'
      ;;
    'counter-parties')
      subcommands='list'
      flags='--limit --offset --all --query --columns'
      ;;
    'counter-parties list')
      flags='--limit --offset --all --query --columns'
      ;;
    'providers')
      subcommands='list get'
      flags='--type --featured --is-working --search --page --limit --all --query --columns'
      ;;
    'providers list')
      flags='--type --featured --is-working --search --page --limit --all --query --columns'
      ;;
    'providers get')
      flags='--columns'
      ;;
    'legacy')
      subcommands='providers integrations holdings userinfo nfts defi post renames convert'
      flags=''
      ;;
    'legacy providers')
      flags='--limit --offset --all --query --columns'
      ;;
    'legacy integrations')
      flags='--all --query --columns'
      ;;
    'legacy holdings')
      flags='--limit --offset --all --query --columns'
      ;;
    'legacy userinfo')
      flags='--query --columns'
      ;;
    'legacy nfts')
      flags='--source --collection --chain --token-id --contract --limit --offset --all --query --columns'
      ;;
    'legacy defi')
      flags='--doc-id --sort-by-highest-value --limit --all --query --columns'
      ;;
    'legacy post')
      flags='--wallet-id --label --format --allow-long-numbers --force --receipt --query --yes --dry-run'
      ;;
    'legacy renames')
      flags='--path --columns'
      ;;
    'legacy convert')
      flags='--kind --zero-roi --report --overwrite'
      ;;
    'api')
      flags='--query --data --all --include --legacy --legacy-public --yes --dry-run'
      ;;
    'integrations')
      subcommands='list assets alias-exists test-credentials batch-delete wait'
      flags='--limit --offset --all --query --columns'
      ;;
    'integrations list')
      flags='--limit --offset --all --query --columns'
      ;;
    'integrations assets')
      flags='--limit --offset --all --query --columns'
      ;;
    'integrations alias-exists')
      flags='--parameter --query --exit-code'
      ;;
    'integrations test-credentials')
      flags='--data --dry-run'
      ;;
    'integrations batch-delete')
      flags='--field --data --yes --dry-run'
      ;;
    'integrations wait')
      flags='--timeout --synced-since'
      ;;
    'sync')
      subcommands='status get watch resync-all'
      flags='--status --exit-code --query --columns'
      ;;
    'sync status')
      flags='--status --exit-code --query --columns'
      ;;
    'sync get')
      flags='--columns'
      ;;
    'sync watch')
      flags='--until --timeout'
      ;;
    'sync resync-all')
      flags='--data --yes --dry-run'
      ;;
    'csv')
      subcommands='check upload'
      flags=''
      ;;
    'csv check')
      flags='--max-size --max-files --exit-code --columns'
      ;;
    'csv upload')
      flags='--field --form --max-size --max-files --yes --dry-run'
      ;;
    'events')
      subcommands='listen list verify replay trigger'
      flags=''
      ;;
    'events listen')
      flags='--port --host --sandbox --path --forward-to --resume --store --types --mirror --secret-env --signature-header --signature-encoding --max-body'
      ;;
    'events list')
      flags='--store --id --types --from --to --period --fiscal-year-start --undelivered --columns'
      ;;
    'events verify')
      flags='--exit-code --secret-env --signature-header --signature-encoding --columns'
      ;;
    'events replay')
      flags='--store --id --types --from --to --period --fiscal-year-start --undelivered --forward-to --retries --rate --secret-env --signature-header --signature-encoding --keep-going --dry-run --columns'
      ;;
    'events trigger')
      flags='--forward-to --set --data --secret-env --signature-header --signature-encoding --dry-run --columns'
      ;;
    'sandbox')
      subcommands='start exec data snapshot scenario errors coverage'
      flags='--port --rows --seed --auto-consent --consent-as --client-scopes --unregistered-scopes --locked-until --data --labels --snapshot --fault --scenario --receiver --secret-env --signature-header --signature-encoding'
      ;;
    'sandbox start')
      flags='--port --rows --seed --auto-consent --consent-as --client-scopes --unregistered-scopes --locked-until --data --labels --snapshot --fault --scenario --receiver --secret-env --signature-header --signature-encoding'
      ;;
    'sandbox exec')
      flags='--port --rows --seed --auto-consent --consent-as --client-scopes --unregistered-scopes --locked-until --data --labels --snapshot --fault --scenario --receiver --secret-env --signature-header --signature-encoding --credential'
      ;;
    'sandbox data')
      flags='--rows --seed --as --overwrite --force --columns'
      ;;
    'sandbox snapshot')
      flags='--overwrite'
      ;;
    'sandbox scenario')
      flags='--columns'
      ;;
    'sandbox errors')
      flags='--shape --columns'
      ;;
    'sandbox coverage')
      flags='--kind --open --columns'
      ;;
    'config')
      subcommands='list get set unset path'
      flags='--show-origin'
      ;;
    'config list')
      flags='--show-origin'
      ;;
    'config get')
      flags=''
      ;;
    'config set')
      flags='--keep-session --yes'
      ;;
    'config unset')
      flags=''
      ;;
    'config path')
      flags=''
      ;;
    'profiles')
      subcommands='list use delete'
      flags='--columns'
      ;;
    'profiles list')
      flags='--columns'
      ;;
    'profiles use')
      flags=''
      ;;
    'profiles delete')
      flags='--yes'
      ;;
    'completion')
      subcommands='install bash zsh fish powershell'
      flags=''
      ;;
    'completion install')
      flags='--shell --dry-run'
      ;;
    'completion bash')
      flags=''
      ;;
    'completion zsh')
      flags=''
      ;;
    'completion fish')
      flags=''
      ;;
    'completion powershell')
      flags=''
      ;;
    'commands')
      flags=''
      ;;
    'schema')
      flags='--line'
      ;;
    'mcp')
      flags='--timeout'
      ;;
    'doctor')
      flags='--exit-code'
      ;;
    'help')
      subcommands='login logout whoami token ledgers audit close mirror balances holdings txns labels assets spam contacts counter-parties providers legacy api integrations sync csv events sandbox config profiles completion commands schema mcp doctor environment exit-codes output time scripting security errors states'
      flags=''
      ;;
    'help ledgers')
      subcommands='list get negative explain rollforward disposals export verify diff'
      flags=''
      ;;
    'help audit')
      subcommands='run explain'
      flags=''
      ;;
    'help close')
      subcommands='run verify'
      flags=''
      ;;
    'help mirror')
      subcommands='run status changes sql load'
      flags=''
      ;;
    'help balances')
      subcommands='list'
      flags=''
      ;;
    'help holdings')
      subcommands='list nfts defi balances'
      flags=''
      ;;
    'help txns')
      subcommands='list ledgers export batch'
      flags=''
      ;;
    'help labels')
      subcommands='list'
      flags=''
      ;;
    'help assets')
      subcommands='search'
      flags=''
      ;;
    'help spam')
      subcommands='list'
      flags=''
      ;;
    'help contacts')
      subcommands='list'
      flags=''
      ;;
    'help counter-parties')
      subcommands='list'
      flags=''
      ;;
    'help providers')
      subcommands='list get'
      flags=''
      ;;
    'help legacy')
      subcommands='providers integrations holdings userinfo nfts defi post renames convert'
      flags=''
      ;;
    'help integrations')
      subcommands='list assets alias-exists test-credentials batch-delete wait'
      flags=''
      ;;
    'help sync')
      subcommands='status get watch resync-all'
      flags=''
      ;;
    'help csv')
      subcommands='check upload'
      flags=''
      ;;
    'help events')
      subcommands='listen list verify replay trigger'
      flags=''
      ;;
    'help sandbox')
      subcommands='start exec data snapshot scenario errors coverage'
      flags=''
      ;;
    'help config')
      subcommands='list get set unset path'
      flags=''
      ;;
    'help profiles')
      subcommands='list use delete'
      flags=''
      ;;
    'help completion')
      subcommands='install bash zsh fish powershell'
      flags=''
      ;;
    'help environment')
      flags=''
      ;;
    'help exit-codes')
      flags=''
      ;;
    'help output')
      flags=''
      ;;
    'help time')
      flags=''
      ;;
    'help scripting')
      flags=''
      ;;
    'help security')
      flags=''
      ;;
    'help errors')
      flags=''
      ;;
    'help states')
      flags=''
      ;;
  esac
  flags+=' --profile --all-profiles --output --json --jsonl --csv --auth-url --base-url --legacy-base-url --legacy-public-url --client-id --workspace --tz --full --jq --curl --no-truncate --no-pager --quiet --debug --help'
}

# Sets takes: whether a flag needs a value, may have one, or has none.
__cryptodata_takes() {
  case $1 in
    'api --include')
      takes='nothing'
      ;;
    'mirror load --schema')
      takes='value'
      ;;
    *' --timeout' | *' --scopes' | *' --columns' | *' --min-ttl' | *' --wallet' | *' --asset' | *' --transaction-ids' | *' --asset-ids' | *' --types' | *' --providers' | *' --lt-after-balance' | *' --gt-after-balance' | *' --from' | *' --since' | *' --to' | *' --until' | *' --period' | *' --fiscal-year-start' | *' --start-time' | *' --end-time' | *' -q' | *' --query' | *' --sort-by' | *' --sort-order' | *' --limit' | *' --offset' | *' --sum-by' | *' --file' | *' --mirror' | *' --dust' | *' --min-total-gains' | *' --by' | *' --include' | *' --out' | *' --format' | *' --csv-guard' | *' --csv-dialect' | *' --separator' | *' --parquet-decimals' | *' --parquet-numbers' | *' --partition-by' | *' --accounts' | *' --roll-up' | *' --concurrency' | *' --max-rps' | *' --patience' | *' --check' | *' --ignore' | *' --report' | *' --journal' | *' --tables' | *' --max-age' | *' --as-of' | *' --preset' | *' --labels' | *' --not-labels' | *' --not-wallet-ids' | *' --contract-address' | *' --text-parameter' | *' --type' | *' --search' | *' --page' | *' --source' | *' --collection' | *' --chain' | *' --token-id' | *' --contract' | *' --doc-id' | *' --wallet-id' | *' --label' | *' --receipt' | *' --path' | *' --kind' | *' --zero-roi' | *' -d' | *' --data' | *' --parameter' | *' --field' | *' --synced-since' | *' --status' | *' --max-size' | *' --max-files' | *' --form' | *' --port' | *' --host' | *' --forward-to' | *' --store' | *' --secret-env' | *' --signature-header' | *' --signature-encoding' | *' --max-body' | *' --id' | *' --retries' | *' --rate' | *' --set' | *' --rows' | *' --seed' | *' --consent-as' | *' --client-scopes' | *' --unregistered-scopes' | *' --locked-until' | *' --snapshot' | *' --fault' | *' --scenario' | *' --receiver' | *' --credential' | *' --as' | *' --shape' | *' --shell' | *' -p' | *' --profile' | *' -o' | *' --output' | *' --auth-url' | *' --base-url' | *' --legacy-base-url' | *' --legacy-public-url' | *' --client-id' | *' --workspace' | *' --tz' | *' --jq')
      takes='value'
      ;;
    *' --has-missing-price' | *' --has-missing-asset' | *' --is-uncategorised-ignored' | *' --is-high-pnl-reviewed' | *' --is-missing-transaction' | *' --featured' | *' --is-working' | *' --sort-by-highest-value')
      takes='maybe'
      ;;
  esac
}

__cryptodata_values() {
  case $1 in
    'ledgers verify #1')
      live=files
      ;;
    'ledgers diff #1')
      live=files
      ;;
    'ledgers diff #2')
      live=files
      ;;
    'close verify #1')
      live=folders
      ;;
    'mirror #1')
      live=folders
      ;;
    'mirror run #1')
      live=folders
      ;;
    'mirror status #1')
      live=folders
      ;;
    'mirror changes #1')
      live=folders
      ;;
    'mirror sql #1')
      live=folders
      ;;
    'mirror load #1')
      live=folders
      ;;
    'txns batch #1')
      live=files
      ;;
    'legacy post #1')
      live=files
      ;;
    'legacy convert #1')
      live=files
      ;;
    'api #1')
      values='GET HEAD OPTIONS POST PUT PATCH DELETE'
      ;;
    'api #2')
      values='/v1/providers /v1/ledgers /v1/transactions /v1/transactions/batch /v1/holdings /v1/nfts /v1/defi /v1/defi/totals /v1/calculated-balances /v1/integrations /v1/integrations/alias-exists /v1/integrations/test-credentials /v1/integrations/batch-delete /v1/integrations/resync-all /v1/csv/upload /v1/labels /v1/assets/search /v1/spam /v1/contacts /v1/counter-parties /v1/users/me /integrations/public/list /api/v1/integrations /api/v1/holdings /api/v1/nft-holdings /v0/defi-holdings /api/v1/userinfo /api/v0/transactions'
      ;;
    'csv check #'*)
      live=files
      ;;
    'csv upload #'*)
      live=files
      ;;
    'events verify #1')
      live=files
      ;;
    'events trigger #1')
      values='integration.created integration.updated integration.deleted integration.failed transfer_detection.started transfer_detection.completed transfer_detection.failed costbasis.started costbasis.completed costbasis.failed'
      ;;
    'sandbox exec #'*)
      live=command
      ;;
    'sandbox data #1')
      values='export import'
      ;;
    'sandbox data #2')
      live=files
      ;;
    'sandbox data #3')
      live=folders
      ;;
    'sandbox snapshot #1')
      values='save load'
      ;;
    'sandbox snapshot #2')
      live=files
      ;;
    'sandbox scenario #1')
      values='flaky-network rate-limited drifting-pages token-revoked partial-sync locked-period webhook-storm'
      ;;
    'sandbox errors #1')
      values='unauthorized insufficient_scope forbidden bad_request server_error VALIDATION_ERROR NOT_FOUND CONFLICT CREDENTIAL_VALIDATION_FAILED SYNC_ERROR FILE_REQUIRED INVALID_FILE_TYPE TOO_MANY_FILES FILE_TOO_LARGE RATE_LIMIT_EXCEEDED EXTERNAL_SERVICE_ERROR INTERNAL_ERROR BAD_REQUEST PERIOD_LOCKED CURRENCY_CONVERSION_FAILED invalid_parameters invalid_request invalid_client invalid_grant unauthorized_client unsupported_grant_type invalid_scope access_denied invalid_token'
      ;;
    'config get #1')
      values='auth_url base_url legacy_base_url legacy_public_url client_id redirect_uri scopes workspace csv_field batch_delete_field output tz keychain'
      ;;
    'config set #1')
      values='auth_url base_url legacy_base_url legacy_public_url client_id redirect_uri scopes workspace csv_field batch_delete_field output tz keychain'
      ;;
    'config unset #1')
      values='auth_url base_url legacy_base_url legacy_public_url client_id redirect_uri scopes workspace csv_field batch_delete_field output tz keychain'
      ;;
    'profiles use #1')
      live=profiles
      ;;
    'profiles delete #1')
      live=profiles
      ;;
    'schema #'*)
      live=command
      ;;
    'help errors #1')
      values='unauthorized insufficient_scope forbidden bad_request server_error VALIDATION_ERROR NOT_FOUND CONFLICT CREDENTIAL_VALIDATION_FAILED SYNC_ERROR FILE_REQUIRED INVALID_FILE_TYPE TOO_MANY_FILES FILE_TOO_LARGE RATE_LIMIT_EXCEEDED EXTERNAL_SERVICE_ERROR INTERNAL_ERROR BAD_REQUEST PERIOD_LOCKED CURRENCY_CONVERSION_FAILED invalid_request invalid_client invalid_grant unauthorized_client unsupported_grant_type invalid_scope access_denied invalid_token invalid_parameters'
      ;;
    'help states #1')
      values='QUEUED SYNCING COMPLETED FAILED DELETING DELETED INACTIVE partially_synced cancelled started completed failed locked'
      ;;
    'ledgers --columns' | 'ledgers list --columns' | 'ledgers get --columns' | 'ledgers export --columns' | 'txns ledgers --columns')
      values='id transactionId workspaceId type assetId symbol assetRaw.symbol quantity baseCurrency price.price price.baseCurrency price.timestamp price.source value timestamp time walletId wallet syncId fromAccount.provider fromAccount.walletId toAccount.provider toAccount.walletId label description internalLabel isEdited beforeBalance afterBalance costbasis proceeds profit debitCoaCode creditCoaCode isDebitCoaEdited isCreditCoaEdited asset.symbol asset.name asset.logoUrl asset.type'
      separated=1
      ;;
    'txns --columns' | 'txns list --columns' | 'txns export --columns')
      values='id time incoming outgoing fees'
      separated=1
      ;;
    'providers --columns' | 'providers list --columns' | 'providers get --columns')
      values='id slug name publicName description type logo featured isWorking importMethods credentialFields capabilities walletSupportedChains functions integrationInfo walletLimitations metadata createdAt updatedAt'
      separated=1
      ;;
    'ledgers diff --columns' | 'mirror changes --columns')
      values='change id timestamp field from to'
      separated=1
      ;;
    'audit --columns' | 'audit run --columns')
      values='id check severity walletId wallet assetId symbol ledgerId transactionId timestamp time legs expected actual amount value baseCurrency message likelyCause evidence next'
      separated=1
      ;;
    'balances --columns' | 'balances list --columns')
      values='walletId wallet assetId symbol legs balance lastLegAt lastLegTime ledgerId lastKnown lastKnownAt'
      separated=1
      ;;
    'holdings --columns' | 'holdings list --columns')
      values='assetId asset.tokenId costBasis costPerUnit roiPercentage change24h change24hPercentage transactionCount isSpam symbol asset.symbol quantity value'
      separated=1
      ;;
    'integrations --columns' | 'integrations list --columns')
      values='providerId isCustomWallet provider providerPublicName publicAddress walletId logoUrl isContract alias status errorMessage addedOn lastSyncedAt category type totalTransactions account'
      separated=1
      ;;
    'sync --columns' | 'sync status --columns')
      values='providerId isCustomWallet provider providerPublicName publicAddress walletId logoUrl isContract alias status errorMessage addedOn lastSyncedAt category type totalTransactions latestSync.syncId latestSync.status latestSync.recordsFailed latestSync.limitReached latestSync.message account'
      separated=1
      ;;
    'profiles --columns' | 'profiles list --columns')
      values='name active base_url client_id source workspaceName workspaceId role accessExpiresAt refreshExpiresAt'
      separated=1
      ;;
    'whoami --columns')
      values='profile workspaceName workspaceId workspaceType role plan userinfo.name userinfo.email sub scopesGranted scopesNotGranted accessExpiresAt refreshExpiresAt'
      separated=1
      ;;
    'ledgers negative --columns')
      values='walletId wallet assetId symbol legs sinceBefore openingBalance before unknownLegs began.id began.transactionId began.timestamp began.time began.type began.quantity began.afterBalance first.id first.transactionId first.timestamp first.time first.type first.quantity first.afterBalance deepest.id deepest.transactionId deepest.timestamp deepest.time deepest.type deepest.quantity deepest.afterBalance deepestOfAll.id deepestOfAll.transactionId deepestOfAll.timestamp deepestOfAll.time deepestOfAll.type deepestOfAll.quantity deepestOfAll.afterBalance end.id end.transactionId end.timestamp end.time end.type end.quantity end.afterBalance'
      separated=1
      ;;
    'ledgers rollforward --columns')
      values='walletId wallet assetId symbol legs opening in out fees closing difference tiesOut baseCurrency value valueUnknown costbasis costbasisUnknown proceeds proceedsUnknown profit profitUnknown byCurrency'
      separated=1
      ;;
    'ledgers disposals --columns')
      values='date timestamp acquired walletId wallet assetId symbol type kind quantity proceeds costbasis profit mismatch baseCurrency label ledgerId transactionId note'
      separated=1
      ;;
    'close verify --columns')
      values='what change id timestamp field from to'
      separated=1
      ;;
    'legacy providers --columns')
      values='id name publicName logo type isAPI isCSV isOAuth isEVM isWorking communityId importGuide functions integrationInfo walletLimitations'
      separated=1
      ;;
    'legacy integrations --columns')
      values='walletId name type address'
      separated=1
      ;;
    'legacy holdings --columns')
      values='asset.tokenId costbasis roi 24hrChange'
      separated=1
      ;;
    'legacy nfts --columns')
      values='id contractAddress tokenId name description contentType nftUrl thumbnailUrl source.provider source.walletId source.publicAddress ercType amount price.price price.baseCurrency isNftSpam collection.collectionId collection.name collection.description collection.imageUrl collection.floorPrice collection.ownerCount collection.totalQuantity collection.socialLinks lastSale.fromAddress lastSale.toAddress lastSale.quantity lastSale.timestamp lastSale.transactionHash lastSale.marketplaceName lastSale.totalPrice.price lastSale.totalPrice.baseCurrency'
      separated=1
      ;;
    'legacy defi --columns')
      values='id name chain type stats.net_usd_value stats.asset_usd_value stats.debt_usd_value stats.converted_net_value stats.converted_currency portfolio_entry.supply_token_list source.walletId source.address supplies'
      separated=1
      ;;
    'legacy renames --columns')
      values='kind change before now note'
      separated=1
      ;;
    'sync get --columns')
      values='status recordsFailed limitReached message'
      separated=1
      ;;
    'csv check --columns')
      values='file type bytes encoding delimiter header rows findings columns'
      separated=1
      ;;
    'events list --columns')
      values='line received event id workspaceId status'
      separated=1
      ;;
    'events verify --columns')
      values='line id event problem'
      separated=1
      ;;
    'events replay --columns')
      values='line received id event result status attempts error'
      separated=1
      ;;
    'sandbox data --columns')
      values='file resource records'
      separated=1
      ;;
    'sandbox scenario --columns')
      values='name about'
      separated=1
      ;;
    'sandbox errors --columns')
      values='code shape status cause how option'
      separated=1
      ;;
    'sandbox coverage --columns')
      values='id kind place says silent tests'
      separated=1
      ;;
    'events listen --types' | 'events list --types' | 'events replay --types')
      values='integration.created integration.updated integration.deleted integration.failed transfer_detection.started transfer_detection.completed transfer_detection.failed costbasis.started costbasis.completed costbasis.failed'
      separated=1
      ;;
    'close --out' | 'close run --out' | 'sandbox --data' | 'sandbox start --data' | 'sandbox exec --data')
      live=folders
      ;;
    'txns export --format')
      values='json jsonl csv xlsx parquet'
      ;;
    'legacy post --format')
      values='json csv'
      ;;
    'sandbox coverage --kind')
      values='endpoint parameter default bound field claim scope header workspace error state transition event lifetime rate-limit envelope rename removal partial-success rule not-shown silent'
      ;;
    *' --scopes')
      values='default read all openid profile offline_access email portfolios:read transactions:read integrations:read contacts:read tax:read accounting:read reports:read invoices:read swaps:read workspace:read users:read portfolios:write transactions:write integrations:write contacts:write tax:write accounting:write reports:write invoices:write swaps:write workspace:write users:write'
      separated=1
      ;;
    *' --types')
      values='incoming outgoing fee'
      separated=1
      ;;
    *' --has-missing-price' | *' --has-missing-asset' | *' --is-uncategorised-ignored' | *' --is-high-pnl-reviewed' | *' --is-missing-transaction' | *' --featured' | *' --is-working' | *' --sort-by-highest-value')
      values='true false'
      ;;
    *' --period')
      values='last-year last-quarter last-month this-year this-quarter this-month ytd 7d 30d'
      live=years
      ;;
    *' --sort-by')
      values='timestamp createdAt'
      ;;
    *' --sort-order')
      values='asc desc'
      ;;
    *' --sum-by')
      values='asset day month quarter year walletId type'
      separated=1
      ;;
    *' --file' | *' --out' | *' --accounts' | *' --ignore' | *' --report' | *' --receipt' | *' --store' | *' --snapshot')
      live=files
      ;;
    *' --mirror')
      live=folders
      ;;
    *' --by')
      values='wallet asset'
      ;;
    *' --include')
      values='disposal fiat transfer unknown'
      separated=1
      ;;
    *' --format')
      values='json jsonl csv xlsx parquet hledger ledger beancount xero quickbooks sage'
      ;;
    *' --csv-guard')
      values='on off'
      ;;
    *' --csv-dialect')
      values='plain excel'
      ;;
    *' --separator')
      values='comma semicolon tab bar'
      ;;
    *' --parquet-decimals')
      values='decimal string'
      ;;
    *' --parquet-numbers')
      values='string double'
      ;;
    *' --partition-by')
      values='year month walletId'
      separated=1
      ;;
    *' --roll-up')
      values='day month'
      ;;
    *' --check')
      values='failing-source stale-source negative-balance unknown-balance opening-balance broken-chain arithmetic unmatched-transfer duplicate missing-price missing-asset imitated-asset unfinished-accounting profit half-posted uncategorized high-pnl missing-purchases missing-prices'
      separated=1
      ;;
    *' --journal')
      values='hledger ledger beancount'
      ;;
    *' --tables')
      values='transactions integrations holdings labels spam none'
      separated=1
      ;;
    *' --preset')
      values='uncategorized high-pnl missing-purchases missing-prices'
      ;;
    *' --type')
      values='exchange blockchain wallet service aggregator'
      ;;
    *' --chain')
      values='ethereum polygon'
      ;;
    *' --kind')
      values='holdings nfts defi transactions integrations providers other'
      ;;
    *' --zero-roi')
      values='keep null'
      ;;
    *' -d' | *' --data')
      live=json
      ;;
    *' --status')
      values='QUEUED SYNCING COMPLETED FAILED DELETING INACTIVE'
      separated=1
      ;;
    *' --signature-encoding')
      values='hex base64'
      ;;
    *' --consent-as')
      values='owner accountant viewer'
      ;;
    *' --unregistered-scopes')
      values='refuse narrow'
      ;;
    *' --scenario')
      values='flaky-network rate-limited drifting-pages token-revoked partial-sync locked-period webhook-storm'
      live=files
      ;;
    *' --credential')
      values='token api-key none'
      ;;
    *' --shape')
      values='oauth wrapped nested legacy oidc'
      ;;
    *' --shell')
      values='bash zsh fish'
      ;;
    *' -p' | *' --profile')
      live=profiles
      separated=1
      ;;
    *' -o' | *' --output')
      values='table json jsonl csv'
      ;;
    *' --tz')
      live=zones
      ;;
  esac
}

__cryptodata_profiles() {
  local directory=${CRYPTODATA_CONFIG_DIR-} line file
  local table='^[[:space:]]*\[[[:space:]]*profiles[[:space:]]*\.[[:space:]]*["'\'']?([A-Za-z0-9][A-Za-z0-9._-]*)'
  if [[ -z $directory ]]; then
    directory=$HOME/.config/cryptodata
    [[ ${XDG_CONFIG_HOME-} == /* ]] && directory=$XDG_CONFIG_HOME/cryptodata
  fi
  if [[ -r $directory/config.toml ]]; then
    while read -r line || [[ -n $line ]]; do
      [[ $line =~ $table ]] && values+=" ${BASH_REMATCH[1]}"
    done <"$directory/config.toml"
  fi
  for file in "$directory"/sessions/*.session; do
    file=${file##*/}
    file=${file%.session}
    [[ $file =~ ^[A-Za-z0-9][A-Za-z0-9._-]*$ && " $values " != *" $file "* ]] && values+=" $file"
  done
}

__cryptodata_zones() {
  local line directory
  for directory in /usr/share/zoneinfo /usr/lib/zoneinfo /usr/share/lib/zoneinfo; do
    [[ -r $directory/zone.tab ]] || continue
    while read -r line; do
      [[ $line == \#* ]] && continue
      line=${line#*$'\t'*$'\t'}
      values+=" ${line%%$'\t'*}"
    done <"$directory/zone.tab"
    break
  done
  values+=' UTC'
}

# A year has halves, quarters and months.
__cryptodata_years() {
  local year this
  this=$(date +%Y)
  [[ $current == [0-9][0-9][0-9][0-9]* ]] && this=${current:0:4}
  for year in "$this" $((10#$this - 1)); do
    values+=" $year $year-H1 $year-H2 $year-Q1 $year-Q2 $year-Q3 $year-Q4"
    [[ $current == "$year"-* ]] &&
      values+=" $year-01 $year-02 $year-03 $year-04 $year-05 $year-06 $year-07 $year-08 $year-09 $year-10 $year-11 $year-12"
  done
}

_cryptodata() {
  local IFS=$' \t\n'
  local line word rest glued='' i from=1 at='' operand=0 pending='' takes='' only=''
  local subcommands='' flags='' values='' live='' separated='' current typed prefix=''
  local -a words=()

  # Bash splits words at characters such as = and :, so join what the line has without a space.
  line=${COMP_LINE:0:COMP_POINT}
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    ((i == COMP_CWORD)) && word=$line
    if [[ -n $glued ]]; then words[${#words[@]} - 1]+=$word; else words+=("$word"); fi
    line=${line#"$word"}
    rest=${line#"${line%%[![:space:]]*}"}
    glued=1
    [[ $rest != "$line" ]] && glued=''
    line=$rest
  done
  current=${words[${#words[@]} - 1]}
  # The part that readline replaces.
  typed=${COMP_WORDS[COMP_CWORD]}
  [[ $typed == [=:@] ]] && typed=''
  [[ $current == *"$typed" ]] || typed=$current

  COMPREPLY=()
  __cryptodata_command "$at"
  for ((i = from; i < ${#words[@]} - 1; i++)); do
    word=${words[i]}
    if [[ $takes == value || ($takes == maybe && $word != -*) ]]; then
      takes=''
      pending=''
      continue
    fi
    takes=''
    pending=''
    if [[ -n $only || $word != -* || $word == - ]]; then
      if [[ -z $only && $operand == 0 && " $subcommands " == *" $word "* ]]; then
        at=${at:+$at }$word
        subcommands=''
        __cryptodata_command "$at"
      else
        ((operand += 1))
      fi
    elif [[ $word == -- ]]; then
      only=1
      values=''
      live=''
      __cryptodata_values "$at #*"
      if [[ $live == command ]]; then
        # sandbox exec -- COMMAND: complete the other command line
        if ((i + 1 == ${#words[@]} - 1)); then
          COMPREPLY=($(compgen -c -- "$current"))
          return
        fi
        [[ ${words[i + 1]##*/} == cryptodata ]] || return
        ((i += 1))
        at=''
        only=''
        operand=0
        __cryptodata_command "$at"
      fi
    elif [[ $word != *=* ]]; then
      pending=$word
      __cryptodata_takes "$at $word"
    fi
  done

  values=''
  live=''
  separated=''
  if [[ -z $only && $takes != value && $current == --*=* ]]; then
    pending=${current%%=*}
    prefix=$pending=
    current=${current#*=}
    __cryptodata_values "$at $pending"
  elif [[ $takes == value || ($takes == maybe && $current != -*) ]]; then
    __cryptodata_values "$at $pending"
  elif [[ -z $only && $current == -* ]]; then
    values=$flags
  else
    __cryptodata_values "$at #$((operand + 1))"
    ((operand == 0)) && values+=" $subcommands"
    # Show the flags where nothing else can be typed.
    [[ -z ${values// /}$live$current$only ]] && values=$flags
  fi

  case $live in
    profiles | zones | years) "__cryptodata_$live" ;;
    json)
      if [[ $current == @* ]]; then
        prefix+=@
        current=${current#@}
        # With hostcomplete, readline also replaces the @.
        shopt -q hostcomplete && typed=@${typed#@}
        rest=$prefix$current
        rest=${rest%"$typed"}
        while IFS= read -r word; do
          word=$prefix$word
          COMPREPLY+=("${word#"$rest"}")
        done < <(compgen -f -- "$current")
        compopt -o filenames 2>/dev/null
        return
      fi
      values+=' @ -'
      ;;
  esac
  if [[ -n $separated ]]; then
    if [[ $current == *,* ]]; then
      prefix+=${current%,*},
      current=${current##*,}
    fi
    # --columns +name adds a column.
    if [[ $current == +* ]]; then
      prefix+=+
      current=${current#+}
    fi
  fi
  rest=$prefix$current
  rest=${rest%"$typed"}
  for word in $values; do
    if [[ $word == "$current"* ]]; then
      word=$prefix$word
      COMPREPLY+=("${word#"$rest"}")
    fi
  done

  # Bash 3.2 has no compopt: it then completes file names where nothing else fits.
  case $live in
    files) ;;
    folders) compopt +o default -o dirnames 2>/dev/null ;;
    *) compopt +o default 2>/dev/null ;;
  esac
  if [[ -n $separated || ${COMPREPLY[*]} == @ ]]; then compopt -o nospace 2>/dev/null; fi
}

complete -o default -F _cryptodata cryptodata
