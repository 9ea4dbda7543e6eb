# cryptodata completions for fish. Generated from the command tree; do not edit.

function __cryptodata_command --no-scope-shadowing
    switch $argv[1]
        case ''
            set subcommands \
                login\t'Log in with the browser, or store an API key' \
                logout\t'Revoke the session and delete it' \
                whoami\t'Show the current user, workspace, role and scopes' \
                token\t'Print an access token for other programs' \
                ledgers\t'List, show, export and verify ledgers' \
                audit\t'Check the books' \
                close\t'Write a filing pack for a period, or list changes made later' \
                mirror\t'Keep a verified local copy of the books, in Parquet files' \
                balances\t'List the balance of each wallet and asset, now or at the end of a day' \
                holdings\t'List tokens, NFTs, DeFi positions and calculated balances' \
                txns\t'List and export transactions, and send batches of changes' \
                labels\t'List the labels of transactions' \
                assets\t'Find assets by symbol, name, id or contract address' \
                spam\t'List the assets that are marked as spam' \
                contacts\t'List contacts' \
                counter-parties\t'List counter-parties' \
                providers\t'List the public provider catalogue' \
                legacy\t'Read and post to the legacy API, and convert its responses' \
                api\t'Send any request with the current credentials' \
                integrations\t'List, test and delete connected accounts, or wait for them' \
                sync\t'Show, watch and start syncs of connected accounts' \
                csv\t'Check and upload import files' \
                events\t'Receive, check, store, forward, replay and trigger webhook deliveries' \
                sandbox\t'Run the service on this machine, without an account' \
                config\t'Show and change the settings of a profile' \
                profiles\t'List and manage the profiles in config.toml' \
                completion\t'Install or print completions for bash, zsh, fish and PowerShell' \
                commands\t'List every command with its flags, output and exit codes' \
                schema\t'Print the JSON Schema of a command\'s output' \
                mcp\t'Serve read-only tools to a coding agent' \
                doctor\t'Check the installation, and collect data for a bug report' \
                help\t'Show help for a command or a topic'
            set flags \
                -V\t'show the version' \
                --version\t'show the version'
        case 'login'
            set subcommands
            set flags \
                --no-browser\t'print the address, and do not open a browser' \
                --timeout\t'maximum time to wait for consent in the browser' \
                --scopes\t'scopes to request, separated by spaces or commas' \
                --with-api-key\t'store an API key instead of opening a browser'
        case 'logout'
            set subcommands
            set flags \
                --all\t'log out of every profile, including profiles that are missing from ...'
        case 'whoami'
            set subcommands
            set flags \
                --columns\t'columns to show' \
                --fresh\t'request the userinfo claims again, and compare "sub" with "uid" from ...'
        case 'token'
            set subcommands
            set flags \
                --min-ttl\t'minimum remaining lifetime of the token' \
                --introspect\t'print the service\'s introspection response'
        case 'ledgers'
            set subcommands \
                list\t'List ledgers, newest first' \
                get\t'Show every field of one ledger' \
                negative\t'Find when and why running balances became negative' \
                explain\t'Explain a leg' \
                rollforward\t'Roll balances forward' \
                disposals\t'List disposals with proceeds, cost basis and profit' \
                export\t'Export ledgers to a file and verify that no row is missing' \
                verify\t'Check an export against its manifest and the service' \
                diff\t'List what changed between two exports, or since an export'
            set flags \
                --wallet\t'wallet by id, alias or provider' \
                --asset\t'asset by id or symbol' \
                --transaction-ids\t'legs of these transactions' \
                --asset-ids\t'legs of these assets' \
                --types\t'legs of these types' \
                --providers\t'legs of accounts at these providers' \
                --has-missing-price\t'legs with no resolved price' \
                --has-missing-asset\t'legs whose asset is unresolved' \
                --lt-after-balance\t'running balance strictly less than this' \
                --gt-after-balance\t'running balance strictly greater than this' \
                --from\t'first day' \
                --to\t'last day' \
                --period\t'2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...' \
                --fiscal-year-start\t'first day of the fiscal year' \
                --start-time\t'value of the parameter startTime in Unix milliseconds, sent unchanged' \
                --end-time\t'value of the parameter endTime in Unix milliseconds, sent unchanged' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --sort-by\t'sort by' \
                --sort-order\t'newest first' \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                --sum-by\t'exact sums instead of rows, by asset, day, month, quarter, year or ...' \
                --columns\t'columns to show'
        case 'ledgers list'
            set subcommands
            set flags \
                --wallet\t'wallet by id, alias or provider' \
                --asset\t'asset by id or symbol' \
                --transaction-ids\t'legs of these transactions' \
                --asset-ids\t'legs of these assets' \
                --types\t'legs of these types' \
                --providers\t'legs of accounts at these providers' \
                --has-missing-price\t'legs with no resolved price' \
                --has-missing-asset\t'legs whose asset is unresolved' \
                --lt-after-balance\t'running balance strictly less than this' \
                --gt-after-balance\t'running balance strictly greater than this' \
                --from\t'first day' \
                --to\t'last day' \
                --period\t'2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...' \
                --fiscal-year-start\t'first day of the fiscal year' \
                --start-time\t'value of the parameter startTime in Unix milliseconds, sent unchanged' \
                --end-time\t'value of the parameter endTime in Unix milliseconds, sent unchanged' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --sort-by\t'sort by' \
                --sort-order\t'newest first' \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                --sum-by\t'exact sums instead of rows, by asset, day, month, quarter, year or ...' \
                --columns\t'columns to show'
        case 'ledgers get'
            set subcommands
            set flags \
                --columns\t'columns to show'
        case 'ledgers negative'
            set subcommands
            set flags \
                --wallet\t'wallet by id, alias or provider' \
                --asset\t'asset by id or symbol' \
                --transaction-ids\t'legs of these transactions' \
                --asset-ids\t'legs of these assets' \
                --types\t'legs of these types' \
                --providers\t'legs of accounts at these providers' \
                --has-missing-price\t'legs with no resolved price' \
                --has-missing-asset\t'legs whose asset is unresolved' \
                --from\t'first day' \
                --to\t'last day' \
                --period\t'2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...' \
                --fiscal-year-start\t'first day of the fiscal year' \
                --start-time\t'value of the parameter startTime in Unix milliseconds, sent unchanged' \
                --end-time\t'value of the parameter endTime in Unix milliseconds, sent unchanged' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --exit-code\t'exit with 10 if a negative balance is found' \
                --columns\t'columns to show'
        case 'ledgers explain'
            set subcommands
            set flags \
                --from\t'first day' \
                --to\t'last day' \
                --period\t'2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...' \
                --fiscal-year-start\t'first day of the fiscal year' \
                --file\t'exported file to read instead of the service' \
                --mirror\t'mirror folder to read instead of the service' \
                --dust\t'set aside findings below this value in the base currency' \
                --min-total-gains\t'minimum total gains of a transaction, for the check high-pnl'
        case 'ledgers rollforward'
            set subcommands
            set flags \
                --from\t'first day' \
                --to\t'last day' \
                --period\t'2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...' \
                --fiscal-year-start\t'first day of the fiscal year' \
                --file\t'exported file to read instead of the service' \
                --mirror\t'mirror folder to read instead of the service' \
                --wallet\t'only this wallet, by id, alias or provider' \
                --asset\t'only this asset, by id or symbol' \
                --by\t'wallet' \
                --exit-code\t'exit with 10 if a line does not add up' \
                --columns\t'columns to show' \
                --chart\t'replace the table with a bar chart that shows exact amounts'
        case 'ledgers disposals'
            set subcommands
            set flags \
                --from\t'first day' \
                --to\t'last day' \
                --period\t'2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...' \
                --fiscal-year-start\t'first day of the fiscal year' \
                --file\t'exported file to read instead of the service' \
                --mirror\t'mirror folder to read instead of the service' \
                --wallet\t'only this wallet, by id, alias or provider' \
                --asset\t'only this asset, by id or symbol' \
                --include\t'only these kinds' \
                --columns\t'columns to show'
        case 'ledgers export'
            set subcommands
            set flags \
                --out\t'output file, or - for stdout' \
                --format\t'json, jsonl, csv, xlsx, parquet, hledger, ledger, beancount, xero, ...' \
                --overwrite\t'replace an existing file and its manifest' \
                --wallet\t'wallet by id, alias or provider' \
                --asset\t'asset by id or symbol' \
                --transaction-ids\t'legs of these transactions' \
                --asset-ids\t'legs of these assets' \
                --types\t'legs of these types' \
                --providers\t'legs of accounts at these providers' \
                --has-missing-price\t'legs with no resolved price' \
                --has-missing-asset\t'legs whose asset is unresolved' \
                --lt-after-balance\t'running balance strictly less than this' \
                --gt-after-balance\t'running balance strictly greater than this' \
                --from\t'first day' \
                --to\t'last day' \
                --period\t'2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...' \
                --fiscal-year-start\t'first day of the fiscal year' \
                --start-time\t'value of the parameter startTime in Unix milliseconds, sent unchanged' \
                --end-time\t'value of the parameter endTime in Unix milliseconds, sent unchanged' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --sum-by\t'exact sums instead of rows, by asset, day, month, quarter, year or ...' \
                --columns\t'columns to show' \
                --csv-guard\t'escape formulas and control characters in the text cells of CSV and ...' \
                --csv-dialect\t'CSV dialect' \
                --separator\t'CSV separator, as a name or a character' \
                --decimal-comma\t'use a decimal comma in CSV' \
                --parquet-decimals\t'Parquet type of decimals' \
                --parquet-numbers\t'Parquet type of the columns value and price' \
                --partition-by\t'split the export by these keys into a Hive-style folder of Parquet ...' \
                --accounts\t'file with account names for journals' \
                --roll-up\t'write one journal entry per day or month, with the sums by account' \
                --resume\t'resume an unfinished export to the same file' \
                --restart\t'discard an unfinished export to the same file and start over' \
                --concurrency\t'maximum parallel requests' \
                --max-rps\t'maximum requests per second' \
                --patience\t'keep retrying for this long after the last successful response'
        case 'ledgers verify'
            set subcommands
            set flags \
                --offline\t'check only the file, without the service' \
                --deep\t'read the range again and compare the contents of every leg' \
                --columns\t'columns to show'
        case 'ledgers diff'
            set subcommands
            set flags \
                --mirror\t'folder of a mirror to use instead of the service' \
                --sums\t'print changed sums instead of changed legs' \
                --exit-code\t'exit with 10 if anything changed' \
                --columns\t'columns to show'
        case 'audit'
            set subcommands \
                run\t'Check the books and list problems, root causes first' \
                explain\t'Explain a finding'
            set flags \
                --from\t'first day' \
                --to\t'last day' \
                --period\t'2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...' \
                --fiscal-year-start\t'first day of the fiscal year' \
                --file\t'exported file to read instead of the service' \
                --mirror\t'mirror folder to read instead of the service' \
                --dust\t'set aside findings below this value in the base currency' \
                --min-total-gains\t'minimum total gains of a transaction, for the check high-pnl' \
                --wallet\t'only this wallet, by id, alias or provider' \
                --asset\t'only this asset, by id or symbol' \
                --check\t'only these checks' \
                --ignore\t'file of accepted findings' \
                --all\t'list every open finding in the table' \
                --exit-code\t'exit with 10 if there are open findings' \
                --columns\t'columns to show' \
                --report\t'also write a report as one HTML page' \
                --overwrite\t'replace an existing report'
        case 'audit run'
            set subcommands
            set flags \
                --from\t'first day' \
                --to\t'last day' \
                --period\t'2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...' \
                --fiscal-year-start\t'first day of the fiscal year' \
                --file\t'exported file to read instead of the service' \
                --mirror\t'mirror folder to read instead of the service' \
                --dust\t'set aside findings below this value in the base currency' \
                --min-total-gains\t'minimum total gains of a transaction, for the check high-pnl' \
                --wallet\t'only this wallet, by id, alias or provider' \
                --asset\t'only this asset, by id or symbol' \
                --check\t'only these checks' \
                --ignore\t'file of accepted findings' \
                --all\t'list every open finding in the table' \
                --exit-code\t'exit with 10 if there are open findings' \
                --columns\t'columns to show' \
                --report\t'also write a report as one HTML page' \
                --overwrite\t'replace an existing report'
        case 'audit explain'
            set subcommands
            set flags \
                --from\t'first day' \
                --to\t'last day' \
                --period\t'2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...' \
                --fiscal-year-start\t'first day of the fiscal year' \
                --file\t'exported file to read instead of the service' \
                --mirror\t'mirror folder to read instead of the service' \
                --dust\t'set aside findings below this value in the base currency' \
                --min-total-gains\t'minimum total gains of a transaction, for the check high-pnl'
        case 'close'
            set subcommands \
                run\t'Write the filing pack for a period' \
                verify\t'Check a filing pack, and list later changes to legs and balances'
            set flags \
                --from\t'first day' \
                --to\t'last day' \
                --period\t'2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...' \
                --fiscal-year-start\t'first day of the fiscal year' \
                --mirror\t'mirror folder to read instead of the service' \
                --out\t'folder to write' \
                --overwrite\t'replace an existing filing pack' \
                --dust\t'set aside findings below this value in the base currency' \
                --ignore\t'file of accepted findings, with an id and a reason on each line' \
                --journal\t'journal format' \
                --accounts\t'file with account names for journals'
        case 'close run'
            set subcommands
            set flags \
                --from\t'first day' \
                --to\t'last day' \
                --period\t'2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...' \
                --fiscal-year-start\t'first day of the fiscal year' \
                --mirror\t'mirror folder to read instead of the service' \
                --out\t'folder to write' \
                --overwrite\t'replace an existing filing pack' \
                --dust\t'set aside findings below this value in the base currency' \
                --ignore\t'file of accepted findings, with an id and a reason on each line' \
                --journal\t'journal format' \
                --accounts\t'file with account names for journals'
        case 'close verify'
            set subcommands
            set flags \
                --offline\t'check only the files, and send no request' \
                --mirror\t'compare with this mirror instead of the service' \
                --columns\t'columns to show'
        case 'mirror'
            set subcommands \
                run\t'Create a mirror of the books, or update it' \
                status\t'Show the contents, age and verification of a mirror' \
                changes\t'List legs and sums that changed between mirror runs' \
                sql\t'Query a mirror with SQL' \
                load\t'Load a mirror into PostgreSQL and verify counts and sums'
            set flags \
                --full\t'read every time window again, to find edited legs' \
                --tables\t'lists in addition to ledgers' \
                --concurrency\t'maximum parallel requests' \
                --max-rps\t'maximum requests per second' \
                --patience\t'keep retrying for this long after the last successful response'
        case 'mirror run'
            set subcommands
            set flags \
                --full\t'read every time window again, to find edited legs' \
                --tables\t'lists in addition to ledgers' \
                --concurrency\t'maximum parallel requests' \
                --max-rps\t'maximum requests per second' \
                --patience\t'keep retrying for this long after the last successful response'
        case 'mirror status'
            set subcommands
            set flags \
                --deep\t'check the hash of each file, not only its size' \
                --max-age\t'warn if the last verified run is older than this' \
                --exit-code\t'exit with 10 if the mirror is unverified, damaged or older than ...'
        case 'mirror changes'
            set subcommands
            set flags \
                --from\t'first day' \
                --to\t'last day' \
                --period\t'2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...' \
                --sums\t'print changed sums instead of changed legs' \
                --exit-code\t'exit with 10 if anything changed' \
                --columns\t'columns to show'
        case 'mirror sql'
            set subcommands
            set flags \
                --schema\t'list the tables and their columns'
        case 'mirror load'
            set subcommands
            set flags \
                --to\t'the database' \
                --schema\t'schema for the tables' \
                --full\t'send every row again, for example after manual edits in the database'
        case 'balances'
            set subcommands \
                list\t'List the balance of each wallet and asset, now or at the end of a day'
            set flags \
                --as-of\t'time of the balances' \
                --file\t'exported file to read instead of the service' \
                --mirror\t'mirror folder to read instead of the service' \
                --wallet\t'only this wallet, by id, alias or provider' \
                --asset\t'only this asset, by id or symbol' \
                --by\t'wallet' \
                --hide-zero\t'omit balances of 0' \
                --columns\t'columns to show' \
                --chart\t'replace the table with a bar chart that shows exact amounts'
        case 'balances list'
            set subcommands
            set flags \
                --as-of\t'time of the balances' \
                --file\t'exported file to read instead of the service' \
                --mirror\t'mirror folder to read instead of the service' \
                --wallet\t'only this wallet, by id, alias or provider' \
                --asset\t'only this asset, by id or symbol' \
                --by\t'wallet' \
                --hide-zero\t'omit balances of 0' \
                --columns\t'columns to show' \
                --chart\t'replace the table with a bar chart that shows exact amounts'
        case 'holdings'
            set subcommands \
                list\t'List token holdings and their total value' \
                nfts\t'List NFTs and their total value' \
                defi\t'List DeFi positions, or show their totals' \
                balances\t'List calculated balances'
            set flags \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show' \
                --chart\t'replace the table with a bar chart that shows exact amounts'
        case 'holdings list'
            set subcommands
            set flags \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show' \
                --chart\t'replace the table with a bar chart that shows exact amounts'
        case 'holdings nfts'
            set subcommands
            set flags \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'holdings defi'
            set subcommands
            set flags \
                --totals\t'print only the totals, as one record' \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'holdings balances'
            set subcommands
            set flags \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'txns'
            set subcommands \
                list\t'List transactions with their legs' \
                ledgers\t'Show all legs of one transaction' \
                export\t'Export transactions to a file' \
                batch\t'Send a batch of changes and list the failed items'
            set flags \
                --preset\t'uncategorized, high-pnl' \
                --types\t'transactions of these types' \
                --labels\t'transactions with one of these labels' \
                --not-labels\t'transactions with none of these labels' \
                --not-wallet-ids\t'transactions without legs in these accounts' \
                --is-uncategorised-ignored\t'whether the transaction is excluded from the list of uncategorised ...' \
                --min-total-gains\t'minimum total gains' \
                --is-high-pnl-reviewed\t'whether a high profit or loss was reviewed' \
                --is-missing-transaction\t'whether a purchase is missing' \
                --has-missing-price\t'whether a price is missing' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --from\t'first day' \
                --to\t'last day' \
                --period\t'2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...' \
                --fiscal-year-start\t'first day of the fiscal year' \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                --columns\t'columns to show'
        case 'txns list'
            set subcommands
            set flags \
                --preset\t'uncategorized, high-pnl' \
                --types\t'transactions of these types' \
                --labels\t'transactions with one of these labels' \
                --not-labels\t'transactions with none of these labels' \
                --not-wallet-ids\t'transactions without legs in these accounts' \
                --is-uncategorised-ignored\t'whether the transaction is excluded from the list of uncategorised ...' \
                --min-total-gains\t'minimum total gains' \
                --is-high-pnl-reviewed\t'whether a high profit or loss was reviewed' \
                --is-missing-transaction\t'whether a purchase is missing' \
                --has-missing-price\t'whether a price is missing' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --from\t'first day' \
                --to\t'last day' \
                --period\t'2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...' \
                --fiscal-year-start\t'first day of the fiscal year' \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                --columns\t'columns to show'
        case 'txns ledgers'
            set subcommands
            set flags \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'txns export'
            set subcommands
            set flags \
                --out\t'output file, or - for stdout' \
                --format\t'json, jsonl, csv, xlsx, parquet' \
                --overwrite\t'replace an existing file and its manifest' \
                --preset\t'uncategorized, high-pnl' \
                --types\t'transactions of these types' \
                --labels\t'transactions with one of these labels' \
                --not-labels\t'transactions with none of these labels' \
                --not-wallet-ids\t'transactions without legs in these accounts' \
                --is-uncategorised-ignored\t'whether the transaction is excluded from the list of uncategorised ...' \
                --min-total-gains\t'minimum total gains' \
                --is-high-pnl-reviewed\t'whether a high profit or loss was reviewed' \
                --is-missing-transaction\t'whether a purchase is missing' \
                --has-missing-price\t'whether a price is missing' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --from\t'first day' \
                --to\t'last day' \
                --period\t'2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...' \
                --fiscal-year-start\t'first day of the fiscal year' \
                --columns\t'columns to show' \
                --csv-guard\t'escape formulas and control characters in the text cells of CSV and ...' \
                --csv-dialect\t'CSV dialect' \
                --separator\t'CSV separator, as a name or a character' \
                --decimal-comma\t'use a decimal comma in CSV' \
                --parquet-decimals\t'Parquet type of decimals' \
                --parquet-numbers\t'Parquet type of the columns value and price'
        case 'txns batch'
            set subcommands
            set flags \
                --yes\t'skip the confirmation' \
                --dry-run\t'print the exact request without sending it'
        case 'labels'
            set subcommands \
                list\t'List the labels that transactions can have'
            set flags \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'labels list'
            set subcommands
            set flags \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'assets'
            set subcommands \
                search\t'Find assets by symbol, name, id or contract address'
            set flags \
                --contract-address\t'asset with this contract address' \
                --text-parameter\t'name of the query parameter for TEXT' \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'assets search'
            set subcommands
            set flags \
                --contract-address\t'asset with this contract address' \
                --text-parameter\t'name of the query parameter for TEXT' \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'spam'
            set subcommands \
                list\t'List the assets that are marked as spam'
            set flags \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'spam list'
            set subcommands
            set flags \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'contacts'
            set subcommands \
                list\t'List contacts'
            set flags \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'contacts list'
            set subcommands
            set flags \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'counter-parties'
            set subcommands \
                list\t'List counter-parties'
            set flags \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'counter-parties list'
            set subcommands
            set flags \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'providers'
            set subcommands \
                list\t'List providers' \
                get\t'Show one provider'
            set flags \
                --type\t'providers of this type' \
                --featured\t'only providers highlighted by the service' \
                --is-working\t'only operational providers' \
                --search\t'text to find in the name, public name or slug' \
                --page\t'page number' \
                --limit\t'maximum number of rows to show' \
                --all\t'read all pages' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'providers list'
            set subcommands
            set flags \
                --type\t'providers of this type' \
                --featured\t'only providers highlighted by the service' \
                --is-working\t'only operational providers' \
                --search\t'text to find in the name, public name or slug' \
                --page\t'page number' \
                --limit\t'maximum number of rows to show' \
                --all\t'read all pages' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'providers get'
            set subcommands
            set flags \
                --columns\t'columns to show'
        case 'legacy'
            set subcommands \
                providers\t'List providers from the legacy API' \
                integrations\t'List connected wallets and their ids' \
                holdings\t'List token holdings from the legacy API' \
                userinfo\t'Show the current user from the legacy API' \
                nfts\t'List NFTs from the legacy API' \
                defi\t'List DeFi positions from the legacy API' \
                post\t'Post transactions from JSON or CSV to a wallet' \
                renames\t'List differences between the legacy API and the current API' \
                convert\t'Convert legacy API JSON to the current format'
            set flags
        case 'legacy providers'
            set subcommands
            set flags \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'legacy integrations'
            set subcommands
            set flags \
                --all\t'read all pages' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'legacy holdings'
            set subcommands
            set flags \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'legacy userinfo'
            set subcommands
            set flags \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'legacy nfts'
            set subcommands
            set flags \
                --source\t'NFTs held at these sources' \
                --collection\t'NFTs of these collections' \
                --chain\t'NFTs on this chain' \
                --token-id\t'NFT with this token id' \
                --contract\t'NFTs of this contract' \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'legacy defi'
            set subcommands
            set flags \
                --doc-id\t'only the position with this document id' \
                --sort-by-highest-value\t'whether to list the highest value first' \
                --limit\t'rows to show' \
                --all\t'all rows, up to the limit of the endpoint' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'legacy post'
            set subcommands
            set flags \
                --wallet-id\t'id of the wallet to post to' \
                --label\t'label for transactions that have no label' \
                --format\t'json or csv' \
                --allow-long-numbers\t'send amounts with more digits than a double-precision number can ...' \
                --force\t'also send one-sided trades, zero or negative amounts, and repeated ...' \
                --receipt\t'new file for the request and the response' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --yes\t'skip the confirmation' \
                --dry-run\t'print the exact request without sending it'
        case 'legacy renames'
            set subcommands
            set flags \
                --path\t'path, field or part of a response to look up' \
                --columns\t'columns to show'
        case 'legacy convert'
            set subcommands
            set flags \
                --kind\t'record kind' \
                --zero-roi\t'keep a 0 in the field "roi", or convert it to null' \
                --report\t'file for a JSON report of all changes' \
                --overwrite\t'replace an existing file and its manifest'
        case 'api'
            set subcommands
            set flags \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                -d\t'JSON body' \
                --data\t'JSON body' \
                --all\t'read all pages of a list and print the rows as one array' \
                --include\t'print the response status and headers on stderr' \
                --legacy\t'use the legacy API' \
                --legacy-public\t'use the public host of the legacy API' \
                --yes\t'skip the confirmation' \
                --dry-run\t'print the exact request without sending it'
        case 'integrations'
            set subcommands \
                list\t'List connected accounts with their status' \
                assets\t'List the assets of one connected account' \
                alias-exists\t'Check whether an account alias is taken' \
                test-credentials\t'Test credentials before you connect an account' \
                batch-delete\t'Delete connected accounts and list the failures' \
                wait\t'Wait until connected accounts are COMPLETED, FAILED or INACTIVE'
            set flags \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'integrations list'
            set subcommands
            set flags \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'integrations assets'
            set subcommands
            set flags \
                --limit\t'maximum number of rows to show' \
                --offset\t'rows to skip' \
                --all\t'read all pages' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'integrations alias-exists'
            set subcommands
            set flags \
                --parameter\t'name of the query parameter' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --exit-code\t'exit with 10 if the alias is taken, and with 9 if the response is ...'
        case 'integrations test-credentials'
            set subcommands
            set flags \
                -d\t'JSON to send' \
                --data\t'JSON to send' \
                --dry-run\t'print the exact request without sending it'
        case 'integrations batch-delete'
            set subcommands
            set flags \
                --field\t'name of the request field that contains the ids' \
                -d\t'the whole body instead of ids' \
                --data\t'the whole body instead of ids' \
                --yes\t'skip the confirmation' \
                --dry-run\t'print the exact request without sending it'
        case 'integrations wait'
            set subcommands
            set flags \
                --timeout\t'maximum time to wait' \
                --synced-since\t'also wait until every COMPLETED account has synced since this time, ...'
        case 'sync'
            set subcommands \
                status\t'Show the status and the latest sync of every account' \
                get\t'Show one sync' \
                watch\t'Print each change to a sync until the sync ends' \
                resync-all\t'Start syncs of all connected accounts, and list the failures'
            set flags \
                --status\t'only accounts with one of these statuses' \
                --exit-code\t'exit with 10 if an account is FAILED, or if a COMPLETED account ...' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'sync status'
            set subcommands
            set flags \
                --status\t'only accounts with one of these statuses' \
                --exit-code\t'exit with 10 if an account is FAILED, or if a COMPLETED account ...' \
                -q\t'additional query parameter for the service, sent unchanged' \
                --query\t'additional query parameter for the service, sent unchanged' \
                --columns\t'columns to show'
        case 'sync get'
            set subcommands
            set flags \
                --columns\t'columns to show'
        case 'sync watch'
            set subcommands
            set flags \
                --until\t'final states in addition to partially_synced and cancelled' \
                --timeout\t'maximum time to wait'
        case 'sync resync-all'
            set subcommands
            set flags \
                -d\t'request body' \
                --data\t'request body' \
                --yes\t'skip the confirmation' \
                --dry-run\t'print the exact request without sending it'
        case 'csv'
            set subcommands \
                check\t'Check files before an upload' \
                upload\t'Import files'
            set flags
        case 'csv check'
            set subcommands
            set flags \
                --max-size\t'maximum size of a file' \
                --max-files\t'maximum files per upload' \
                --exit-code\t'exit with 10 if there are findings' \
                --columns\t'columns to show'
        case 'csv upload'
            set subcommands
            set flags \
                --field\t'name of the form field for the files' \
                --form\t'additional form field' \
                --max-size\t'maximum size of a file' \
                --max-files\t'maximum files per upload' \
                --yes\t'skip the confirmation' \
                --dry-run\t'print the exact request without sending it'
        case 'events'
            set subcommands \
                listen\t'Receive webhook deliveries' \
                list\t'List stored webhook deliveries' \
                verify\t'Check saved webhook deliveries against the specification' \
                replay\t'Resend stored webhook deliveries to any URL' \
                trigger\t'Send a sample webhook event through the sandbox or directly'
            set flags
        case 'events listen'
            set subcommands
            set flags \
                --port\t'port to listen on' \
                --host\t'address to listen on' \
                --sandbox\t'start a sandbox that posts to this listener' \
                --path\t'path to accept' \
                --forward-to\t'URL to forward stored deliveries to' \
                --resume\t'forward pending deliveries before new deliveries' \
                --store\t'file that stores deliveries' \
                --types\t'event kinds to store and forward' \
                --mirror\t'mirror in which integration.updated and costbasis.completed mark legs ...' \
                --secret-env\t'environment variable that contains the signing secret' \
                --signature-header\t'header that contains the signature' \
                --signature-encoding\t'encoding of the signature' \
                --max-body\t'maximum size of a request body'
        case 'events list'
            set subcommands
            set flags \
                --store\t'file that stores deliveries' \
                --id\t'delivery ids' \
                --types\t'event kinds' \
                --from\t'earliest time of receipt' \
                --to\t'latest time of receipt' \
                --period\t'2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...' \
                --fiscal-year-start\t'first day of the fiscal year' \
                --undelivered\t'only deliveries that "events listen" has not forwarded' \
                --columns\t'columns to show'
        case 'events verify'
            set subcommands
            set flags \
                --exit-code\t'exit with 10 if there are findings' \
                --secret-env\t'environment variable that contains the signing secret' \
                --signature-header\t'header that contains the signature' \
                --signature-encoding\t'encoding of the signature' \
                --columns\t'columns to show'
        case 'events replay'
            set subcommands
            set flags \
                --store\t'file that stores deliveries' \
                --id\t'delivery ids' \
                --types\t'event kinds' \
                --from\t'earliest time of receipt' \
                --to\t'latest time of receipt' \
                --period\t'2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...' \
                --fiscal-year-start\t'first day of the fiscal year' \
                --undelivered\t'only deliveries that "events listen" has not forwarded' \
                --forward-to\t'address to post to' \
                --retries\t'maximum retries per delivery' \
                --rate\t'maximum deliveries per second' \
                --secret-env\t'environment variable that contains the signing secret' \
                --signature-header\t'header that contains the signature' \
                --signature-encoding\t'encoding of the signature' \
                --keep-going\t'continue with the next delivery if the final attempt for a delivery ...' \
                --dry-run\t'list the selected deliveries without sending them' \
                --columns\t'columns to show'
        case 'events trigger'
            set subcommands
            set flags \
                --forward-to\t'address to post to, instead of the sandbox' \
                --set\t'field to set' \
                -d\t'data of the envelope as JSON' \
                --data\t'data of the envelope as JSON' \
                --secret-env\t'environment variable that contains the signing secret' \
                --signature-header\t'header that contains the signature' \
                --signature-encoding\t'encoding of the signature' \
                --dry-run\t'print the delivery without sending it' \
                --columns\t'columns to show'
        case 'sandbox'
            set subcommands \
                start\t'Start the sandbox and keep it running until Ctrl-C' \
                exec\t'Run a command against a new sandbox, then stop the sandbox' \
                data\t'Export a sandbox\'s data, or check files for --data' \
                snapshot\t'Save or load the state of a running sandbox' \
                scenario\t'List the scenarios, or print one scenario for editing' \
                errors\t'Show the requests that cause each error code in the sandbox' \
                coverage\t'List the clauses of the service specification and their tests'
            set flags \
                --port\t'port to listen on' \
                --rows\t'number of ledgers in the workspace' \
                --seed\t'seed for the generated data' \
                --auto-consent\t'grant consent without showing the consent page, for scripts' \
                --consent-as\t'member who logs in and owns the access token' \
                --client-scopes\t'scopes to register for the client' \
                --unregistered-scopes\t'handling of a login that requests an unregistered scope' \
                --locked-until\t'end of the locked accounting period' \
                --data\t'directory with files to serve instead of generated data' \
                --labels\t'labels that the sandbox accepts in posted transactions' \
                --snapshot\t'initial state, from sandbox snapshot save' \
                --fault\t'a fault to inject' \
                --scenario\t'scenario to run' \
                --receiver\t'address to post events to' \
                --secret-env\t'environment variable that contains the secret for signatures' \
                --signature-header\t'header that contains the signature' \
                --signature-encoding\t'signature encoding'
        case 'sandbox start'
            set subcommands
            set flags \
                --port\t'port to listen on' \
                --rows\t'number of ledgers in the workspace' \
                --seed\t'seed for the generated data' \
                --auto-consent\t'grant consent without showing the consent page, for scripts' \
                --consent-as\t'member who logs in and owns the access token' \
                --client-scopes\t'scopes to register for the client' \
                --unregistered-scopes\t'handling of a login that requests an unregistered scope' \
                --locked-until\t'end of the locked accounting period' \
                --data\t'directory with files to serve instead of generated data' \
                --labels\t'labels that the sandbox accepts in posted transactions' \
                --snapshot\t'initial state, from sandbox snapshot save' \
                --fault\t'a fault to inject' \
                --scenario\t'scenario to run' \
                --receiver\t'address to post events to' \
                --secret-env\t'environment variable that contains the secret for signatures' \
                --signature-header\t'header that contains the signature' \
                --signature-encoding\t'signature encoding'
        case 'sandbox exec'
            set subcommands
            set flags \
                --port\t'port to listen on' \
                --rows\t'number of ledgers in the workspace' \
                --seed\t'seed for the generated data' \
                --auto-consent\t'grant consent without showing the consent page, for scripts' \
                --consent-as\t'member who logs in and owns the access token' \
                --client-scopes\t'scopes to register for the client' \
                --unregistered-scopes\t'handling of a login that requests an unregistered scope' \
                --locked-until\t'end of the locked accounting period' \
                --data\t'directory with files to serve instead of generated data' \
                --labels\t'labels that the sandbox accepts in posted transactions' \
                --snapshot\t'initial state, from sandbox snapshot save' \
                --fault\t'a fault to inject' \
                --scenario\t'scenario to run' \
                --receiver\t'address to post events to' \
                --secret-env\t'environment variable that contains the secret for signatures' \
                --signature-header\t'header that contains the signature' \
                --signature-encoding\t'signature encoding' \
                --credential\t'credential for the command'
        case 'sandbox data'
            set subcommands
            set flags \
                --rows\t'number of ledgers in a new sandbox' \
                --seed\t'seed of a new sandbox' \
                --as\t'resource in the file, import only' \
                --overwrite\t'replace existing data files in the directory' \
                --force\t'same as --overwrite' \
                --columns\t'columns to show'
        case 'sandbox snapshot'
            set subcommands
            set flags \
                --overwrite\t'for save'
        case 'sandbox scenario'
            set subcommands
            set flags \
                --columns\t'columns to show'
        case 'sandbox errors'
            set subcommands
            set flags \
                --shape\t'only error codes in response bodies of this shape' \
                --columns\t'columns to show'
        case 'sandbox coverage'
            set subcommands
            set flags \
                --kind\t'only clauses of this kind' \
                --open\t'only details that the specification leaves open' \
                --columns\t'columns to show'
        case 'config'
            set subcommands \
                list\t'List every setting with its value' \
                get\t'Print the value of one setting' \
                set\t'Set a value in the profile' \
                unset\t'Remove a value from the profile' \
                path\t'Print the path of config.toml'
            set flags \
                --show-origin\t'show where each value comes from'
        case 'config list'
            set subcommands
            set flags \
                --show-origin\t'show where each value comes from'
        case 'config get'
            set subcommands
            set flags
        case 'config set'
            set subcommands
            set flags \
                --keep-session\t'send the stored session or API key to the new address' \
                --yes\t'skip the confirmation'
        case 'config unset'
            set subcommands
            set flags
        case 'config path'
            set subcommands
            set flags
        case 'profiles'
            set subcommands \
                list\t'List the profiles and their logins' \
                use\t'Set the default profile' \
                delete\t'Delete a profile and all its secrets'
            set flags \
                --columns\t'columns to show'
        case 'profiles list'
            set subcommands
            set flags \
                --columns\t'columns to show'
        case 'profiles use'
            set subcommands
            set flags
        case 'profiles delete'
            set subcommands
            set flags \
                --yes\t'skip the confirmation'
        case 'completion'
            set subcommands \
                install\t'Install completions where your shell looks for them' \
                bash\t'Print the completions for bash' \
                zsh\t'Print the completions for zsh' \
                fish\t'Print the completions for fish' \
                powershell\t'Print the completions for PowerShell'
            set flags
        case 'completion install'
            set subcommands
            set flags \
                --shell\t'bash, zsh or fish' \
                --dry-run\t'print the path of the file, but do not write the file'
        case 'completion bash'
            set subcommands
            set flags
        case 'completion zsh'
            set subcommands
            set flags
        case 'completion fish'
            set subcommands
            set flags
        case 'completion powershell'
            set subcommands
            set flags
        case 'commands'
            set subcommands
            set flags
        case 'schema'
            set subcommands
            set flags \
                --line\t'schema of one line of the output with -o jsonl'
        case 'mcp'
            set subcommands
            set flags \
                --timeout\t'time limit for one call'
        case 'doctor'
            set subcommands
            set flags \
                --exit-code\t'exit with 10 if there is a problem'
        case 'help'
            set subcommands \
                login\t'Log in with the browser, or store an API key' \
                logout\t'Revoke the session and delete it' \
                whoami\t'Show the current user, workspace, role and scopes' \
                token\t'Print an access token for other programs' \
                ledgers\t'List, show, export and verify ledgers' \
                audit\t'Check the books' \
                close\t'Write a filing pack for a period, or list changes made later' \
                mirror\t'Keep a verified local copy of the books, in Parquet files' \
                balances\t'List the balance of each wallet and asset, now or at the end of a day' \
                holdings\t'List tokens, NFTs, DeFi positions and calculated balances' \
                txns\t'List and export transactions, and send batches of changes' \
                labels\t'List the labels of transactions' \
                assets\t'Find assets by symbol, name, id or contract address' \
                spam\t'List the assets that are marked as spam' \
                contacts\t'List contacts' \
                counter-parties\t'List counter-parties' \
                providers\t'List the public provider catalogue' \
                legacy\t'Read and post to the legacy API, and convert its responses' \
                api\t'Send any request with the current credentials' \
                integrations\t'List, test and delete connected accounts, or wait for them' \
                sync\t'Show, watch and start syncs of connected accounts' \
                csv\t'Check and upload import files' \
                events\t'Receive, check, store, forward, replay and trigger webhook deliveries' \
                sandbox\t'Run the service on this machine, without an account' \
                config\t'Show and change the settings of a profile' \
                profiles\t'List and manage the profiles in config.toml' \
                completion\t'Install or print completions for bash, zsh, fish and PowerShell' \
                commands\t'List every command with its flags, output and exit codes' \
                schema\t'Print the JSON Schema of a command\'s output' \
                mcp\t'Serve read-only tools to a coding agent' \
                doctor\t'Check the installation, and collect data for a bug report' \
                environment\t'Environment variables' \
                exit-codes\t'Exit codes, the same for every command' \
                output\t'Output formats, columns and streams' \
                time\t'Periods, days and time zones' \
                scripting\t'Pipelines, CI and retries' \
                security\t'Where secrets are stored, and what is sent' \
                errors\t'Explain the error codes of the service' \
                states\t'Explain the states of accounts, syncs, runs and periods'
            set flags
        case 'help ledgers'
            set subcommands \
                list\t'List ledgers, newest first' \
                get\t'Show every field of one ledger' \
                negative\t'Find when and why running balances became negative' \
                explain\t'Explain a leg' \
                rollforward\t'Roll balances forward' \
                disposals\t'List disposals with proceeds, cost basis and profit' \
                export\t'Export ledgers to a file and verify that no row is missing' \
                verify\t'Check an export against its manifest and the service' \
                diff\t'List what changed between two exports, or since an export'
            set flags
        case 'help audit'
            set subcommands \
                run\t'Check the books and list problems, root causes first' \
                explain\t'Explain a finding'
            set flags
        case 'help close'
            set subcommands \
                run\t'Write the filing pack for a period' \
                verify\t'Check a filing pack, and list later changes to legs and balances'
            set flags
        case 'help mirror'
            set subcommands \
                run\t'Create a mirror of the books, or update it' \
                status\t'Show the contents, age and verification of a mirror' \
                changes\t'List legs and sums that changed between mirror runs' \
                sql\t'Query a mirror with SQL' \
                load\t'Load a mirror into PostgreSQL and verify counts and sums'
            set flags
        case 'help balances'
            set subcommands \
                list\t'List the balance of each wallet and asset, now or at the end of a day'
            set flags
        case 'help holdings'
            set subcommands \
                list\t'List token holdings and their total value' \
                nfts\t'List NFTs and their total value' \
                defi\t'List DeFi positions, or show their totals' \
                balances\t'List calculated balances'
            set flags
        case 'help txns'
            set subcommands \
                list\t'List transactions with their legs' \
                ledgers\t'Show all legs of one transaction' \
                export\t'Export transactions to a file' \
                batch\t'Send a batch of changes and list the failed items'
            set flags
        case 'help labels'
            set subcommands \
                list\t'List the labels that transactions can have'
            set flags
        case 'help assets'
            set subcommands \
                search\t'Find assets by symbol, name, id or contract address'
            set flags
        case 'help spam'
            set subcommands \
                list\t'List the assets that are marked as spam'
            set flags
        case 'help contacts'
            set subcommands \
                list\t'List contacts'
            set flags
        case 'help counter-parties'
            set subcommands \
                list\t'List counter-parties'
            set flags
        case 'help providers'
            set subcommands \
                list\t'List providers' \
                get\t'Show one provider'
            set flags
        case 'help legacy'
            set subcommands \
                providers\t'List providers from the legacy API' \
                integrations\t'List connected wallets and their ids' \
                holdings\t'List token holdings from the legacy API' \
                userinfo\t'Show the current user from the legacy API' \
                nfts\t'List NFTs from the legacy API' \
                defi\t'List DeFi positions from the legacy API' \
                post\t'Post transactions from JSON or CSV to a wallet' \
                renames\t'List differences between the legacy API and the current API' \
                convert\t'Convert legacy API JSON to the current format'
            set flags
        case 'help integrations'
            set subcommands \
                list\t'List connected accounts with their status' \
                assets\t'List the assets of one connected account' \
                alias-exists\t'Check whether an account alias is taken' \
                test-credentials\t'Test credentials before you connect an account' \
                batch-delete\t'Delete connected accounts and list the failures' \
                wait\t'Wait until connected accounts are COMPLETED, FAILED or INACTIVE'
            set flags
        case 'help sync'
            set subcommands \
                status\t'Show the status and the latest sync of every account' \
                get\t'Show one sync' \
                watch\t'Print each change to a sync until the sync ends' \
                resync-all\t'Start syncs of all connected accounts, and list the failures'
            set flags
        case 'help csv'
            set subcommands \
                check\t'Check files before an upload' \
                upload\t'Import files'
            set flags
        case 'help events'
            set subcommands \
                listen\t'Receive webhook deliveries' \
                list\t'List stored webhook deliveries' \
                verify\t'Check saved webhook deliveries against the specification' \
                replay\t'Resend stored webhook deliveries to any URL' \
                trigger\t'Send a sample webhook event through the sandbox or directly'
            set flags
        case 'help sandbox'
            set subcommands \
                start\t'Start the sandbox and keep it running until Ctrl-C' \
                exec\t'Run a command against a new sandbox, then stop the sandbox' \
                data\t'Export a sandbox\'s data, or check files for --data' \
                snapshot\t'Save or load the state of a running sandbox' \
                scenario\t'List the scenarios, or print one scenario for editing' \
                errors\t'Show the requests that cause each error code in the sandbox' \
                coverage\t'List the clauses of the service specification and their tests'
            set flags
        case 'help config'
            set subcommands \
                list\t'List every setting with its value' \
                get\t'Print the value of one setting' \
                set\t'Set a value in the profile' \
                unset\t'Remove a value from the profile' \
                path\t'Print the path of config.toml'
            set flags
        case 'help profiles'
            set subcommands \
                list\t'List the profiles and their logins' \
                use\t'Set the default profile' \
                delete\t'Delete a profile and all its secrets'
            set flags
        case 'help completion'
            set subcommands \
                install\t'Install completions where your shell looks for them' \
                bash\t'Print the completions for bash' \
                zsh\t'Print the completions for zsh' \
                fish\t'Print the completions for fish' \
                powershell\t'Print the completions for PowerShell'
            set flags
        case 'help environment'
            set subcommands
            set flags
        case 'help exit-codes'
            set subcommands
            set flags
        case 'help output'
            set subcommands
            set flags
        case 'help time'
            set subcommands
            set flags
        case 'help scripting'
            set subcommands
            set flags
        case 'help security'
            set subcommands
            set flags
        case 'help errors'
            set subcommands
            set flags
        case 'help states'
            set subcommands
            set flags
    end
    set -a flags \
        -p\t'profile in config.toml' \
        --profile\t'profile in config.toml' \
        --all-profiles\t'run for every profile, one after the other' \
        -o\t'output format' \
        --output\t'output format' \
        --json\t'short for -o json' \
        --jsonl\t'short for -o jsonl' \
        --csv\t'short for -o csv' \
        --auth-url\t'address of the authorization server, without /oidc' \
        --base-url\t'address of the data API, without /v1' \
        --legacy-base-url\t'address of the legacy data API, without /api' \
        --legacy-public-url\t'host of the public list of integrations in the legacy API' \
        --client-id\t'id of the registered OAuth client' \
        --workspace\t'workspace id' \
        --tz\t'time zone of calendar days and displayed times' \
        --full\t'show every digit of amounts in tables' \
        --jq\t'filter the JSON result with a jq expression' \
        --curl\t'print the first request as a curl command, and send nothing' \
        --no-truncate\t'show tables in full, even if they are wider than the terminal' \
        --no-pager\t'do not show long tables in a pager' \
        --quiet\t'print only results, warnings and errors, without notes and progress' \
        --debug\t'log each request, without secrets, and show stack traces' \
        -h\t'show help' \
        --help\t'show help'
end

# Sets takes: whether a flag needs a value, may have one, or has none.
function __cryptodata_takes --no-scope-shadowing
    switch $argv[1]
        case 'api --include'
            set takes nothing
        case 'mirror load --schema'
            set takes value
        case '* --timeout' '* --scopes' '* --columns' '* --min-ttl' '* --wallet' '* --asset' '* --transaction-ids' '* --asset-ids' '* --types' '* --providers' '* --lt-after-balance' '* --gt-after-balance' '* --from' '* --since' '* --to' '* --until' '* --period' '* --fiscal-year-start' '* --start-time' '* --end-time' '* -q' '* --query' '* --sort-by' '* --sort-order' '* --limit' '* --offset' '* --sum-by' '* --file' '* --mirror' '* --dust' '* --min-total-gains' '* --by' '* --include' '* --out' '* --format' '* --csv-guard' '* --csv-dialect' '* --separator' '* --parquet-decimals' '* --parquet-numbers' '* --partition-by' '* --accounts' '* --roll-up' '* --concurrency' '* --max-rps' '* --patience' '* --check' '* --ignore' '* --report' '* --journal' '* --tables' '* --max-age' '* --as-of' '* --preset' '* --labels' '* --not-labels' '* --not-wallet-ids' '* --contract-address' '* --text-parameter' '* --type' '* --search' '* --page' '* --source' '* --collection' '* --chain' '* --token-id' '* --contract' '* --doc-id' '* --wallet-id' '* --label' '* --receipt' '* --path' '* --kind' '* --zero-roi' '* -d' '* --data' '* --parameter' '* --field' '* --synced-since' '* --status' '* --max-size' '* --max-files' '* --form' '* --port' '* --host' '* --forward-to' '* --store' '* --secret-env' '* --signature-header' '* --signature-encoding' '* --max-body' '* --id' '* --retries' '* --rate' '* --set' '* --rows' '* --seed' '* --consent-as' '* --client-scopes' '* --unregistered-scopes' '* --locked-until' '* --snapshot' '* --fault' '* --scenario' '* --receiver' '* --credential' '* --as' '* --shape' '* --shell' '* -p' '* --profile' '* -o' '* --output' '* --auth-url' '* --base-url' '* --legacy-base-url' '* --legacy-public-url' '* --client-id' '* --workspace' '* --tz' '* --jq'
            set takes value
        case '* --has-missing-price' '* --has-missing-asset' '* --is-uncategorised-ignored' '* --is-high-pnl-reviewed' '* --is-missing-transaction' '* --featured' '* --is-working' '* --sort-by-highest-value'
            set takes maybe
    end
end

function __cryptodata_values --no-scope-shadowing
    switch $argv[1]
        case 'ledgers verify #1'
            set live files
        case 'ledgers diff #1'
            set live files
        case 'ledgers diff #2'
            set live files
        case 'close verify #1'
            set live folders
        case 'mirror #1'
            set live folders
        case 'mirror run #1'
            set live folders
        case 'mirror status #1'
            set live folders
        case 'mirror changes #1'
            set live folders
        case 'mirror sql #1'
            set live folders
        case 'mirror load #1'
            set live folders
        case 'txns batch #1'
            set live files
        case 'legacy post #1'
            set live files
        case 'legacy convert #1'
            set live files
        case 'api #1'
            set values 'GET' 'HEAD' 'OPTIONS' 'POST' 'PUT' 'PATCH' 'DELETE'
        case 'api #2'
            set values '/v1/providers' '/v1/ledgers' '/v1/transactions' '/v1/transactions/batch' '/v1/holdings' '/v1/nfts' '/v1/defi' '/v1/defi/totals' '/v1/calculated-balances' '/v1/integrations' '/v1/integrations/alias-exists' '/v1/integrations/test-credentials' '/v1/integrations/batch-delete' '/v1/integrations/resync-all' '/v1/csv/upload' '/v1/labels' '/v1/assets/search' '/v1/spam' '/v1/contacts' '/v1/counter-parties' '/v1/users/me' '/integrations/public/list' '/api/v1/integrations' '/api/v1/holdings' '/api/v1/nft-holdings' '/v0/defi-holdings' '/api/v1/userinfo' '/api/v0/transactions'
        case 'csv check #*'
            set live files
        case 'csv upload #*'
            set live files
        case 'events verify #1'
            set live files
        case 'events trigger #1'
            set values 'integration.created' 'integration.updated' 'integration.deleted' 'integration.failed' 'transfer_detection.started' 'transfer_detection.completed' 'transfer_detection.failed' 'costbasis.started' 'costbasis.completed' 'costbasis.failed'
        case 'sandbox exec #*'
            set live command
        case 'sandbox data #1'
            set values 'export' 'import'
        case 'sandbox data #2'
            set live files
        case 'sandbox data #3'
            set live folders
        case 'sandbox snapshot #1'
            set values 'save' 'load'
        case 'sandbox snapshot #2'
            set live files
        case 'sandbox scenario #1'
            set values 'flaky-network' 'rate-limited' 'drifting-pages' 'token-revoked' 'partial-sync' 'locked-period' 'webhook-storm'
        case 'sandbox errors #1'
            set values 'unauthorized' 'insufficient_scope' 'forbidden' 'bad_request' 'server_error' 'VALIDATION_ERROR' 'NOT_FOUND' 'CONFLICT' 'CREDENTIAL_VALIDATION_FAILED' 'SYNC_ERROR' 'FILE_REQUIRED' 'INVALID_FILE_TYPE' 'TOO_MANY_FILES' 'FILE_TOO_LARGE' 'RATE_LIMIT_EXCEEDED' 'EXTERNAL_SERVICE_ERROR' 'INTERNAL_ERROR' 'BAD_REQUEST' 'PERIOD_LOCKED' 'CURRENCY_CONVERSION_FAILED' 'invalid_parameters' 'invalid_request' 'invalid_client' 'invalid_grant' 'unauthorized_client' 'unsupported_grant_type' 'invalid_scope' 'access_denied' 'invalid_token'
        case 'config get #1'
            set values 'auth_url' 'base_url' 'legacy_base_url' 'legacy_public_url' 'client_id' 'redirect_uri' 'scopes' 'workspace' 'csv_field' 'batch_delete_field' 'output' 'tz' 'keychain'
        case 'config set #1'
            set values 'auth_url' 'base_url' 'legacy_base_url' 'legacy_public_url' 'client_id' 'redirect_uri' 'scopes' 'workspace' 'csv_field' 'batch_delete_field' 'output' 'tz' 'keychain'
        case 'config unset #1'
            set values 'auth_url' 'base_url' 'legacy_base_url' 'legacy_public_url' 'client_id' 'redirect_uri' 'scopes' 'workspace' 'csv_field' 'batch_delete_field' 'output' 'tz' 'keychain'
        case 'profiles use #1'
            set live profiles
        case 'profiles delete #1'
            set live profiles
        case 'schema #*'
            set live command
        case 'help errors #1'
            set values 'unauthorized' 'insufficient_scope' 'forbidden' 'bad_request' 'server_error' 'VALIDATION_ERROR' 'NOT_FOUND' 'CONFLICT' 'CREDENTIAL_VALIDATION_FAILED' 'SYNC_ERROR' 'FILE_REQUIRED' 'INVALID_FILE_TYPE' 'TOO_MANY_FILES' 'FILE_TOO_LARGE' 'RATE_LIMIT_EXCEEDED' 'EXTERNAL_SERVICE_ERROR' 'INTERNAL_ERROR' 'BAD_REQUEST' 'PERIOD_LOCKED' 'CURRENCY_CONVERSION_FAILED' 'invalid_request' 'invalid_client' 'invalid_grant' 'unauthorized_client' 'unsupported_grant_type' 'invalid_scope' 'access_denied' 'invalid_token' 'invalid_parameters'
        case 'help states #1'
            set values 'QUEUED' 'SYNCING' 'COMPLETED' 'FAILED' 'DELETING' 'DELETED' 'INACTIVE' 'partially_synced' 'cancelled' 'started' 'completed' 'failed' 'locked'
        case 'ledgers --columns' 'ledgers list --columns' 'ledgers get --columns' 'ledgers export --columns' 'txns ledgers --columns'
            set values 'id' 'transactionId' 'workspaceId' 'type' 'assetId' 'symbol' 'assetRaw.symbol' 'quantity' 'baseCurrency' 'price.price' 'price.baseCurrency' 'price.timestamp' 'price.source' 'value' 'timestamp' 'time' 'walletId' 'wallet' 'syncId' 'fromAccount.provider' 'fromAccount.walletId' 'toAccount.provider' 'toAccount.walletId' 'label' 'description' 'internalLabel' 'isEdited' 'beforeBalance' 'afterBalance' 'costbasis' 'proceeds' 'profit' 'debitCoaCode' 'creditCoaCode' 'isDebitCoaEdited' 'isCreditCoaEdited' 'asset.symbol' 'asset.name' 'asset.logoUrl' 'asset.type'
            set separated 1
        case 'txns --columns' 'txns list --columns' 'txns export --columns'
            set values 'id' 'time' 'incoming' 'outgoing' 'fees'
            set separated 1
        case 'providers --columns' 'providers list --columns' 'providers get --columns'
            set values 'id' 'slug' 'name' 'publicName' 'description' 'type' 'logo' 'featured' 'isWorking' 'importMethods' 'credentialFields' 'capabilities' 'walletSupportedChains' 'functions' 'integrationInfo' 'walletLimitations' 'metadata' 'createdAt' 'updatedAt'
            set separated 1
        case 'ledgers diff --columns' 'mirror changes --columns'
            set values 'change' 'id' 'timestamp' 'field' 'from' 'to'
            set separated 1
        case 'audit --columns' 'audit run --columns'
            set values 'id' 'check' 'severity' 'walletId' 'wallet' 'assetId' 'symbol' 'ledgerId' 'transactionId' 'timestamp' 'time' 'legs' 'expected' 'actual' 'amount' 'value' 'baseCurrency' 'message' 'likelyCause' 'evidence' 'next'
            set separated 1
        case 'balances --columns' 'balances list --columns'
            set values 'walletId' 'wallet' 'assetId' 'symbol' 'legs' 'balance' 'lastLegAt' 'lastLegTime' 'ledgerId' 'lastKnown' 'lastKnownAt'
            set separated 1
        case 'holdings --columns' 'holdings list --columns'
            set values 'assetId' 'asset.tokenId' 'costBasis' 'costPerUnit' 'roiPercentage' 'change24h' 'change24hPercentage' 'transactionCount' 'isSpam' 'symbol' 'asset.symbol' 'quantity' 'value'
            set separated 1
        case 'integrations --columns' 'integrations list --columns'
            set values 'providerId' 'isCustomWallet' 'provider' 'providerPublicName' 'publicAddress' 'walletId' 'logoUrl' 'isContract' 'alias' 'status' 'errorMessage' 'addedOn' 'lastSyncedAt' 'category' 'type' 'totalTransactions' 'account'
            set separated 1
        case 'sync --columns' 'sync status --columns'
            set values 'providerId' 'isCustomWallet' 'provider' 'providerPublicName' 'publicAddress' 'walletId' 'logoUrl' 'isContract' 'alias' 'status' 'errorMessage' 'addedOn' 'lastSyncedAt' 'category' 'type' 'totalTransactions' 'latestSync.syncId' 'latestSync.status' 'latestSync.recordsFailed' 'latestSync.limitReached' 'latestSync.message' 'account'
            set separated 1
        case 'profiles --columns' 'profiles list --columns'
            set values 'name' 'active' 'base_url' 'client_id' 'source' 'workspaceName' 'workspaceId' 'role' 'accessExpiresAt' 'refreshExpiresAt'
            set separated 1
        case 'whoami --columns'
            set values 'profile' 'workspaceName' 'workspaceId' 'workspaceType' 'role' 'plan' 'userinfo.name' 'userinfo.email' 'sub' 'scopesGranted' 'scopesNotGranted' 'accessExpiresAt' 'refreshExpiresAt'
            set separated 1
        case 'ledgers negative --columns'
            set values 'walletId' 'wallet' 'assetId' 'symbol' 'legs' 'sinceBefore' 'openingBalance' 'before' 'unknownLegs' 'began.id' 'began.transactionId' 'began.timestamp' 'began.time' 'began.type' 'began.quantity' 'began.afterBalance' 'first.id' 'first.transactionId' 'first.timestamp' 'first.time' 'first.type' 'first.quantity' 'first.afterBalance' 'deepest.id' 'deepest.transactionId' 'deepest.timestamp' 'deepest.time' 'deepest.type' 'deepest.quantity' 'deepest.afterBalance' 'deepestOfAll.id' 'deepestOfAll.transactionId' 'deepestOfAll.timestamp' 'deepestOfAll.time' 'deepestOfAll.type' 'deepestOfAll.quantity' 'deepestOfAll.afterBalance' 'end.id' 'end.transactionId' 'end.timestamp' 'end.time' 'end.type' 'end.quantity' 'end.afterBalance'
            set separated 1
        case 'ledgers rollforward --columns'
            set values 'walletId' 'wallet' 'assetId' 'symbol' 'legs' 'opening' 'in' 'out' 'fees' 'closing' 'difference' 'tiesOut' 'baseCurrency' 'value' 'valueUnknown' 'costbasis' 'costbasisUnknown' 'proceeds' 'proceedsUnknown' 'profit' 'profitUnknown' 'byCurrency'
            set separated 1
        case 'ledgers disposals --columns'
            set values 'date' 'timestamp' 'acquired' 'walletId' 'wallet' 'assetId' 'symbol' 'type' 'kind' 'quantity' 'proceeds' 'costbasis' 'profit' 'mismatch' 'baseCurrency' 'label' 'ledgerId' 'transactionId' 'note'
            set separated 1
        case 'close verify --columns'
            set values 'what' 'change' 'id' 'timestamp' 'field' 'from' 'to'
            set separated 1
        case 'legacy providers --columns'
            set values 'id' 'name' 'publicName' 'logo' 'type' 'isAPI' 'isCSV' 'isOAuth' 'isEVM' 'isWorking' 'communityId' 'importGuide' 'functions' 'integrationInfo' 'walletLimitations'
            set separated 1
        case 'legacy integrations --columns'
            set values 'walletId' 'name' 'type' 'address'
            set separated 1
        case 'legacy holdings --columns'
            set values 'asset.tokenId' 'costbasis' 'roi' '24hrChange'
            set separated 1
        case 'legacy nfts --columns'
            set values 'id' 'contractAddress' 'tokenId' 'name' 'description' 'contentType' 'nftUrl' 'thumbnailUrl' 'source.provider' 'source.walletId' 'source.publicAddress' 'ercType' 'amount' 'price.price' 'price.baseCurrency' 'isNftSpam' 'collection.collectionId' 'collection.name' 'collection.description' 'collection.imageUrl' 'collection.floorPrice' 'collection.ownerCount' 'collection.totalQuantity' 'collection.socialLinks' 'lastSale.fromAddress' 'lastSale.toAddress' 'lastSale.quantity' 'lastSale.timestamp' 'lastSale.transactionHash' 'lastSale.marketplaceName' 'lastSale.totalPrice.price' 'lastSale.totalPrice.baseCurrency'
            set separated 1
        case 'legacy defi --columns'
            set values 'id' 'name' 'chain' 'type' 'stats.net_usd_value' 'stats.asset_usd_value' 'stats.debt_usd_value' 'stats.converted_net_value' 'stats.converted_currency' 'portfolio_entry.supply_token_list' 'source.walletId' 'source.address' 'supplies'
            set separated 1
        case 'legacy renames --columns'
            set values 'kind' 'change' 'before' 'now' 'note'
            set separated 1
        case 'sync get --columns'
            set values 'status' 'recordsFailed' 'limitReached' 'message'
            set separated 1
        case 'csv check --columns'
            set values 'file' 'type' 'bytes' 'encoding' 'delimiter' 'header' 'rows' 'findings' 'columns'
            set separated 1
        case 'events list --columns'
            set values 'line' 'received' 'event' 'id' 'workspaceId' 'status'
            set separated 1
        case 'events verify --columns'
            set values 'line' 'id' 'event' 'problem'
            set separated 1
        case 'events replay --columns'
            set values 'line' 'received' 'id' 'event' 'result' 'status' 'attempts' 'error'
            set separated 1
        case 'sandbox data --columns'
            set values 'file' 'resource' 'records'
            set separated 1
        case 'sandbox scenario --columns'
            set values 'name' 'about'
            set separated 1
        case 'sandbox errors --columns'
            set values 'code' 'shape' 'status' 'cause' 'how' 'option'
            set separated 1
        case 'sandbox coverage --columns'
            set values 'id' 'kind' 'place' 'says' 'silent' 'tests'
            set separated 1
        case 'events listen --types' 'events list --types' 'events replay --types'
            set values 'integration.created' 'integration.updated' 'integration.deleted' 'integration.failed' 'transfer_detection.started' 'transfer_detection.completed' 'transfer_detection.failed' 'costbasis.started' 'costbasis.completed' 'costbasis.failed'
            set separated 1
        case 'close --out' 'close run --out' 'sandbox --data' 'sandbox start --data' 'sandbox exec --data'
            set live folders
        case 'txns export --format'
            set values 'json' 'jsonl' 'csv' 'xlsx' 'parquet'
        case 'legacy post --format'
            set values 'json' 'csv'
        case 'sandbox coverage --kind'
            set values 'endpoint' 'parameter' 'default' 'bound' 'field' 'claim' 'scope' 'header' 'workspace' 'error' 'state' 'transition' 'event' 'lifetime' 'rate-limit' 'envelope' 'rename' 'removal' 'partial-success' 'rule' 'not-shown' 'silent'
        case '* --scopes'
            set values 'default' 'read' 'all' 'openid' 'profile' 'offline_access' 'email' 'portfolios:read' 'transactions:read' 'integrations:read' 'contacts:read' 'tax:read' 'accounting:read' 'reports:read' 'invoices:read' 'swaps:read' 'workspace:read' 'users:read' 'portfolios:write' 'transactions:write' 'integrations:write' 'contacts:write' 'tax:write' 'accounting:write' 'reports:write' 'invoices:write' 'swaps:write' 'workspace:write' 'users:write'
            set separated 1
        case '* --types'
            set values 'incoming' 'outgoing' 'fee'
            set separated 1
        case '* --has-missing-price' '* --has-missing-asset' '* --is-uncategorised-ignored' '* --is-high-pnl-reviewed' '* --is-missing-transaction' '* --featured' '* --is-working' '* --sort-by-highest-value'
            set values 'true' 'false'
        case '* --period'
            set values 'last-year' 'last-quarter' 'last-month' 'this-year' 'this-quarter' 'this-month' 'ytd' '7d' '30d'
            set live years
        case '* --sort-by'
            set values 'timestamp' 'createdAt'
        case '* --sort-order'
            set values 'asc' 'desc'
        case '* --sum-by'
            set values 'asset' 'day' 'month' 'quarter' 'year' 'walletId' 'type'
            set separated 1
        case '* --file' '* --out' '* --accounts' '* --ignore' '* --report' '* --receipt' '* --store' '* --snapshot'
            set live files
        case '* --mirror'
            set live folders
        case '* --by'
            set values 'wallet' 'asset'
        case '* --include'
            set values 'disposal' 'fiat' 'transfer' 'unknown'
            set separated 1
        case '* --format'
            set values 'json' 'jsonl' 'csv' 'xlsx' 'parquet' 'hledger' 'ledger' 'beancount' 'xero' 'quickbooks' 'sage'
        case '* --csv-guard'
            set values 'on' 'off'
        case '* --csv-dialect'
            set values 'plain' 'excel'
        case '* --separator'
            set values 'comma' 'semicolon' 'tab' 'bar'
        case '* --parquet-decimals'
            set values 'decimal' 'string'
        case '* --parquet-numbers'
            set values 'string' 'double'
        case '* --partition-by'
            set values 'year' 'month' 'walletId'
            set separated 1
        case '* --roll-up'
            set values 'day' 'month'
        case '* --check'
            set values 'failing-source' 'stale-source' 'negative-balance' 'unknown-balance' 'opening-balance' 'broken-chain' 'arithmetic' 'unmatched-transfer' 'duplicate' 'missing-price' 'missing-asset' 'imitated-asset' 'unfinished-accounting' 'profit' 'half-posted' 'uncategorized' 'high-pnl' 'missing-purchases' 'missing-prices'
            set separated 1
        case '* --journal'
            set values 'hledger' 'ledger' 'beancount'
        case '* --tables'
            set values 'transactions' 'integrations' 'holdings' 'labels' 'spam' 'none'
            set separated 1
        case '* --preset'
            set values 'uncategorized' 'high-pnl' 'missing-purchases' 'missing-prices'
        case '* --type'
            set values 'exchange' 'blockchain' 'wallet' 'service' 'aggregator'
        case '* --chain'
            set values 'ethereum' 'polygon'
        case '* --kind'
            set values 'holdings' 'nfts' 'defi' 'transactions' 'integrations' 'providers' 'other'
        case '* --zero-roi'
            set values 'keep' 'null'
        case '* -d' '* --data'
            set live json
        case '* --status'
            set values 'QUEUED' 'SYNCING' 'COMPLETED' 'FAILED' 'DELETING' 'INACTIVE'
            set separated 1
        case '* --signature-encoding'
            set values 'hex' 'base64'
        case '* --consent-as'
            set values 'owner' 'accountant' 'viewer'
        case '* --unregistered-scopes'
            set values 'refuse' 'narrow'
        case '* --scenario'
            set values 'flaky-network' 'rate-limited' 'drifting-pages' 'token-revoked' 'partial-sync' 'locked-period' 'webhook-storm'
            set live files
        case '* --credential'
            set values 'token' 'api-key' 'none'
        case '* --shape'
            set values 'oauth' 'wrapped' 'nested' 'legacy' 'oidc'
        case '* --shell'
            set values 'bash' 'zsh' 'fish'
        case '* -p' '* --profile'
            set live profiles
            set separated 1
        case '* -o' '* --output'
            set values 'table' 'json' 'jsonl' 'csv'
        case '* --tz'
            set live zones
    end
end

function __cryptodata_profiles
    set -l directory $CRYPTODATA_CONFIG_DIR
    if test -z "$directory"
        set directory $HOME/.config/cryptodata
        string match -q '/*' -- $XDG_CONFIG_HOME; and set directory $XDG_CONFIG_HOME/cryptodata
    end
    begin
        test -r $directory/config.toml
        and string match -rg '^\s*\[\s*profiles\s*\.\s*["\']?([A-Za-z0-9][A-Za-z0-9._-]*)' <$directory/config.toml
        for file in $directory/sessions/*.session
            string match -rg '([A-Za-z0-9][A-Za-z0-9._-]*)\.session$' $file
        end
    end | sort -u
end

function __cryptodata_zones
    for directory in /usr/share/zoneinfo /usr/lib/zoneinfo /usr/share/lib/zoneinfo
        if test -r $directory/zone.tab
            string match -v '#*' <$directory/zone.tab | string split -f 3 \t
            break
        end
    end
    echo UTC
end

# A year has halves, quarters and months.
function __cryptodata_years
    set -l this (date +%Y)
    string match -qr '^\d{4}' -- $argv[1]; and set this (string sub -l 4 -- $argv[1])
    for year in $this (math $this - 1)
        printf '%s\n' $year $year-H{1,2} $year-Q{1,2,3,4}
        string match -q "$year-*" -- $argv[1]; and printf '%s\n' $year-{01,02,03,04,05,06,07,08,09,10,11,12}
    end
end

function __cryptodata
    set -l tokens (commandline -opc)
    set -l current (commandline -ct)
    set -l at ''
    set -l operand 0
    set -l only
    set -l pending ''
    set -l takes ''
    set -l subcommands
    set -l flags
    set -l values
    set -l live ''
    set -l separated
    set -l prefix ''

    __cryptodata_command $at
    for i in (seq 2 (count $tokens))
        set -l word $tokens[$i]
        set -l dashed 0
        string match -q -- '-*' $word; and set dashed 1
        if test "$takes" = value; or test "$takes" = maybe -a $dashed = 0
            set takes ''
            set pending ''
            continue
        end
        set takes ''
        set pending ''
        if set -q only[1]; or test $dashed = 0; or test "$word" = -
            if not set -q only[1]; and test $operand = 0; and string match -q -- $word\t'*' $subcommands
                set at (string trim "$at $word")
                set subcommands
                __cryptodata_command $at
            else
                set operand (math $operand + 1)
            end
        else if test "$word" = --
            set only 1
            set live ''
            __cryptodata_values "$at #*"
            if test "$live" = command
                # sandbox exec -- COMMAND: complete the other command line
                set -l rest (string escape -- $tokens[(math $i + 1)..-1])
                complete -C (string join ' ' -- $rest $current)
                return
            end
        else if not string match -q -- '*=*' $word
            set pending $word
            __cryptodata_takes "$at $word"
        end
    end

    set values
    set live ''
    set separated
    set -l dashed 0
    string match -q -- '-*' "$current"; and set dashed 1
    if not set -q only[1]; and test "$takes" != value; and string match -q -- '--*=*' "$current"
        set -l parts (string split -m 1 = -- $current)
        set prefix $parts[1]=
        set current $parts[2]
        __cryptodata_values "$at $parts[1]"
    else if test "$takes" = value; or test "$takes" = maybe -a $dashed = 0
        __cryptodata_values "$at $pending"
    else if not set -q only[1]; and test $dashed = 1
        set values $flags
    else
        __cryptodata_values "$at #"(math $operand + 1)
        test $operand = 0; and set -a values $subcommands
        # Show the flags where nothing else can be typed.
        if not set -q values[1]; and test -z "$live$current$only"
            set values $flags
        end
    end

    if set -q separated[1]
        if string match -q -- '*,*' "$current"
            set -l last (string split -r -m 1 , -- $current)
            set prefix $prefix$last[1],
            set current $last[2]
        end
        # --columns +name adds a column.
        if string match -q -- '+*' "$current"
            set prefix $prefix+
            set current (string sub -s 2 -- $current)
        end
    end
    switch "$live"
        case profiles zones
            set -a values (__cryptodata_$live)
        case years
            set -a values (__cryptodata_years "$current")
        case files
            set -a values (__fish_complete_path "$current")
        case folders
            set -a values (__fish_complete_directories "$current")
        case json
            if string match -q -- '@*' "$current"
                set prefix $prefix@
                set values (__fish_complete_path (string sub -s 2 -- $current))
            else
                set -a values @\t'read a file' -\t'read stdin'
            end
    end
    set -q values[1]; and printf '%s\n' $prefix$values
end

complete -c cryptodata -e
complete -c cryptodata -f -a '(__cryptodata)'
