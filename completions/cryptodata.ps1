# cryptodata completions for PowerShell. Generated from the command tree; do not edit.

Register-ArgumentCompleter -Native -CommandName 'cryptodata' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    # A name and its description are separated by a bar.
    $commands = @{
        '' = @('login|Log in with the browser, or store an API key', 'logout|Revoke the session and delete it', 'whoami|Show the current user, workspace, role and scopes', 'token|Print an access token for other programs', 'ledgers|List, show, export and verify ledgers', 'audit|Check the books', 'close|Write a filing pack for a period, or list changes made later', 'mirror|Keep a verified local copy of the books, in Parquet files', 'balances|List the balance of each wallet and asset, now or at the end of a day', 'holdings|List tokens, NFTs, DeFi positions and calculated balances', 'txns|List and export transactions, and send batches of changes', 'labels|List the labels of transactions', 'assets|Find assets by symbol, name, id or contract address', 'spam|List the assets that are marked as spam', 'contacts|List contacts', 'counter-parties|List counter-parties', 'providers|List the public provider catalogue', 'legacy|Read and post to the legacy API, and convert its responses', 'api|Send any request with the current credentials', 'integrations|List, test and delete connected accounts, or wait for them', 'sync|Show, watch and start syncs of connected accounts', 'csv|Check and upload import files', 'events|Receive, check, store, forward, replay and trigger webhook deliveries', 'sandbox|Run the service on this machine, without an account', 'config|Show and change the settings of a profile', 'profiles|List and manage the profiles in config.toml', 'completion|Install or print completions for bash, zsh, fish and PowerShell', 'commands|List every command with its flags, output and exit codes', 'schema|Print the JSON Schema of a command''s output', 'mcp|Serve read-only tools to a coding agent', 'doctor|Check the installation, and collect data for a bug report', 'help|Show help for a command or a topic')
        'ledgers' = @('list|List ledgers, newest first', 'get|Show every field of one ledger', 'negative|Find when and why running balances became negative', 'explain|Explain a leg', 'rollforward|Roll balances forward', 'disposals|List disposals with proceeds, cost basis and profit', 'export|Export ledgers to a file and verify that no row is missing', 'verify|Check an export against its manifest and the service', 'diff|List what changed between two exports, or since an export')
        'audit' = @('run|Check the books and list problems, root causes first', 'explain|Explain a finding')
        'close' = @('run|Write the filing pack for a period', 'verify|Check a filing pack, and list later changes to legs and balances')
        'mirror' = @('run|Create a mirror of the books, or update it', 'status|Show the contents, age and verification of a mirror', 'changes|List legs and sums that changed between mirror runs', 'sql|Query a mirror with SQL', 'load|Load a mirror into PostgreSQL and verify counts and sums')
        'balances' = @('list|List the balance of each wallet and asset, now or at the end of a day')
        'holdings' = @('list|List token holdings and their total value', 'nfts|List NFTs and their total value', 'defi|List DeFi positions, or show their totals', 'balances|List calculated balances')
        'txns' = @('list|List transactions with their legs', 'ledgers|Show all legs of one transaction', 'export|Export transactions to a file', 'batch|Send a batch of changes and list the failed items')
        'labels' = @('list|List the labels that transactions can have')
        'assets' = @('search|Find assets by symbol, name, id or contract address')
        'spam' = @('list|List the assets that are marked as spam')
        'contacts' = @('list|List contacts')
        'counter-parties' = @('list|List counter-parties')
        'providers' = @('list|List providers', 'get|Show one provider')
        'legacy' = @('providers|List providers from the legacy API', 'integrations|List connected wallets and their ids', 'holdings|List token holdings from the legacy API', 'userinfo|Show the current user from the legacy API', 'nfts|List NFTs from the legacy API', 'defi|List DeFi positions from the legacy API', 'post|Post transactions from JSON or CSV to a wallet', 'renames|List differences between the legacy API and the current API', 'convert|Convert legacy API JSON to the current format')
        'integrations' = @('list|List connected accounts with their status', 'assets|List the assets of one connected account', 'alias-exists|Check whether an account alias is taken', 'test-credentials|Test credentials before you connect an account', 'batch-delete|Delete connected accounts and list the failures', 'wait|Wait until connected accounts are COMPLETED, FAILED or INACTIVE')
        'sync' = @('status|Show the status and the latest sync of every account', 'get|Show one sync', 'watch|Print each change to a sync until the sync ends', 'resync-all|Start syncs of all connected accounts, and list the failures')
        'csv' = @('check|Check files before an upload', 'upload|Import files')
        'events' = @('listen|Receive webhook deliveries', 'list|List stored webhook deliveries', 'verify|Check saved webhook deliveries against the specification', 'replay|Resend stored webhook deliveries to any URL', 'trigger|Send a sample webhook event through the sandbox or directly')
        'sandbox' = @('start|Start the sandbox and keep it running until Ctrl-C', 'exec|Run a command against a new sandbox, then stop the sandbox', 'data|Export a sandbox''s data, or check files for --data', 'snapshot|Save or load the state of a running sandbox', 'scenario|List the scenarios, or print one scenario for editing', 'errors|Show the requests that cause each error code in the sandbox', 'coverage|List the clauses of the service specification and their tests')
        'config' = @('list|List every setting with its value', 'get|Print the value of one setting', 'set|Set a value in the profile', 'unset|Remove a value from the profile', 'path|Print the path of config.toml')
        'profiles' = @('list|List the profiles and their logins', 'use|Set the default profile', 'delete|Delete a profile and all its secrets')
        'completion' = @('install|Install completions where your shell looks for them', 'bash|Print the completions for bash', 'zsh|Print the completions for zsh', 'fish|Print the completions for fish', 'powershell|Print the completions for PowerShell')
        'help' = @('login|Log in with the browser, or store an API key', 'logout|Revoke the session and delete it', 'whoami|Show the current user, workspace, role and scopes', 'token|Print an access token for other programs', 'ledgers|List, show, export and verify ledgers', 'audit|Check the books', 'close|Write a filing pack for a period, or list changes made later', 'mirror|Keep a verified local copy of the books, in Parquet files', 'balances|List the balance of each wallet and asset, now or at the end of a day', 'holdings|List tokens, NFTs, DeFi positions and calculated balances', 'txns|List and export transactions, and send batches of changes', 'labels|List the labels of transactions', 'assets|Find assets by symbol, name, id or contract address', 'spam|List the assets that are marked as spam', 'contacts|List contacts', 'counter-parties|List counter-parties', 'providers|List the public provider catalogue', 'legacy|Read and post to the legacy API, and convert its responses', 'api|Send any request with the current credentials', 'integrations|List, test and delete connected accounts, or wait for them', 'sync|Show, watch and start syncs of connected accounts', 'csv|Check and upload import files', 'events|Receive, check, store, forward, replay and trigger webhook deliveries', 'sandbox|Run the service on this machine, without an account', 'config|Show and change the settings of a profile', 'profiles|List and manage the profiles in config.toml', 'completion|Install or print completions for bash, zsh, fish and PowerShell', 'commands|List every command with its flags, output and exit codes', 'schema|Print the JSON Schema of a command''s output', 'mcp|Serve read-only tools to a coding agent', 'doctor|Check the installation, and collect data for a bug report', 'environment|Environment variables', 'exit-codes|Exit codes, the same for every command', 'output|Output formats, columns and streams', 'time|Periods, days and time zones', 'scripting|Pipelines, CI and retries', 'security|Where secrets are stored, and what is sent', 'errors|Explain the error codes of the service', 'states|Explain the states of accounts, syncs, runs and periods')
        'help ledgers' = @('list|List ledgers, newest first', 'get|Show every field of one ledger', 'negative|Find when and why running balances became negative', 'explain|Explain a leg', 'rollforward|Roll balances forward', 'disposals|List disposals with proceeds, cost basis and profit', 'export|Export ledgers to a file and verify that no row is missing', 'verify|Check an export against its manifest and the service', 'diff|List what changed between two exports, or since an export')
        'help audit' = @('run|Check the books and list problems, root causes first', 'explain|Explain a finding')
        'help close' = @('run|Write the filing pack for a period', 'verify|Check a filing pack, and list later changes to legs and balances')
        'help mirror' = @('run|Create a mirror of the books, or update it', 'status|Show the contents, age and verification of a mirror', 'changes|List legs and sums that changed between mirror runs', 'sql|Query a mirror with SQL', 'load|Load a mirror into PostgreSQL and verify counts and sums')
        'help balances' = @('list|List the balance of each wallet and asset, now or at the end of a day')
        'help holdings' = @('list|List token holdings and their total value', 'nfts|List NFTs and their total value', 'defi|List DeFi positions, or show their totals', 'balances|List calculated balances')
        'help txns' = @('list|List transactions with their legs', 'ledgers|Show all legs of one transaction', 'export|Export transactions to a file', 'batch|Send a batch of changes and list the failed items')
        'help labels' = @('list|List the labels that transactions can have')
        'help assets' = @('search|Find assets by symbol, name, id or contract address')
        'help spam' = @('list|List the assets that are marked as spam')
        'help contacts' = @('list|List contacts')
        'help counter-parties' = @('list|List counter-parties')
        'help providers' = @('list|List providers', 'get|Show one provider')
        'help legacy' = @('providers|List providers from the legacy API', 'integrations|List connected wallets and their ids', 'holdings|List token holdings from the legacy API', 'userinfo|Show the current user from the legacy API', 'nfts|List NFTs from the legacy API', 'defi|List DeFi positions from the legacy API', 'post|Post transactions from JSON or CSV to a wallet', 'renames|List differences between the legacy API and the current API', 'convert|Convert legacy API JSON to the current format')
        'help integrations' = @('list|List connected accounts with their status', 'assets|List the assets of one connected account', 'alias-exists|Check whether an account alias is taken', 'test-credentials|Test credentials before you connect an account', 'batch-delete|Delete connected accounts and list the failures', 'wait|Wait until connected accounts are COMPLETED, FAILED or INACTIVE')
        'help sync' = @('status|Show the status and the latest sync of every account', 'get|Show one sync', 'watch|Print each change to a sync until the sync ends', 'resync-all|Start syncs of all connected accounts, and list the failures')
        'help csv' = @('check|Check files before an upload', 'upload|Import files')
        'help events' = @('listen|Receive webhook deliveries', 'list|List stored webhook deliveries', 'verify|Check saved webhook deliveries against the specification', 'replay|Resend stored webhook deliveries to any URL', 'trigger|Send a sample webhook event through the sandbox or directly')
        'help sandbox' = @('start|Start the sandbox and keep it running until Ctrl-C', 'exec|Run a command against a new sandbox, then stop the sandbox', 'data|Export a sandbox''s data, or check files for --data', 'snapshot|Save or load the state of a running sandbox', 'scenario|List the scenarios, or print one scenario for editing', 'errors|Show the requests that cause each error code in the sandbox', 'coverage|List the clauses of the service specification and their tests')
        'help config' = @('list|List every setting with its value', 'get|Print the value of one setting', 'set|Set a value in the profile', 'unset|Remove a value from the profile', 'path|Print the path of config.toml')
        'help profiles' = @('list|List the profiles and their logins', 'use|Set the default profile', 'delete|Delete a profile and all its secrets')
        'help completion' = @('install|Install completions where your shell looks for them', 'bash|Print the completions for bash', 'zsh|Print the completions for zsh', 'fish|Print the completions for fish', 'powershell|Print the completions for PowerShell')
    }
    $flags = @{
        '' = @('--version|show the version')
        'login' = @('--no-browser|print the address, and do not open a browser', '--timeout|maximum time to wait for consent in the browser', '--scopes|scopes to request, separated by spaces or commas', '--with-api-key|store an API key instead of opening a browser')
        'logout' = @('--all|log out of every profile, including profiles that are missing from ...')
        'whoami' = @('--columns|columns to show', '--fresh|request the userinfo claims again, and compare "sub" with "uid" from ...')
        'token' = @('--min-ttl|minimum remaining lifetime of the token', '--introspect|print the service''s introspection response')
        'ledgers' = @('--wallet|wallet by id, alias or provider', '--asset|asset by id or symbol', '--transaction-ids|legs of these transactions', '--asset-ids|legs of these assets', '--types|legs of these types', '--providers|legs of accounts at these providers', '--has-missing-price|legs with no resolved price', '--has-missing-asset|legs whose asset is unresolved', '--lt-after-balance|running balance strictly less than this', '--gt-after-balance|running balance strictly greater than this', '--from|first day', '--to|last day', '--period|2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...', '--fiscal-year-start|first day of the fiscal year', '--start-time|value of the parameter startTime in Unix milliseconds, sent unchanged', '--end-time|value of the parameter endTime in Unix milliseconds, sent unchanged', '--query|additional query parameter for the service, sent unchanged', '--sort-by|sort by', '--sort-order|newest first', '--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--sum-by|exact sums instead of rows, by asset, day, month, quarter, year or ...', '--columns|columns to show')
        'ledgers list' = @('--wallet|wallet by id, alias or provider', '--asset|asset by id or symbol', '--transaction-ids|legs of these transactions', '--asset-ids|legs of these assets', '--types|legs of these types', '--providers|legs of accounts at these providers', '--has-missing-price|legs with no resolved price', '--has-missing-asset|legs whose asset is unresolved', '--lt-after-balance|running balance strictly less than this', '--gt-after-balance|running balance strictly greater than this', '--from|first day', '--to|last day', '--period|2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...', '--fiscal-year-start|first day of the fiscal year', '--start-time|value of the parameter startTime in Unix milliseconds, sent unchanged', '--end-time|value of the parameter endTime in Unix milliseconds, sent unchanged', '--query|additional query parameter for the service, sent unchanged', '--sort-by|sort by', '--sort-order|newest first', '--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--sum-by|exact sums instead of rows, by asset, day, month, quarter, year or ...', '--columns|columns to show')
        'ledgers get' = @('--columns|columns to show')
        'ledgers negative' = @('--wallet|wallet by id, alias or provider', '--asset|asset by id or symbol', '--transaction-ids|legs of these transactions', '--asset-ids|legs of these assets', '--types|legs of these types', '--providers|legs of accounts at these providers', '--has-missing-price|legs with no resolved price', '--has-missing-asset|legs whose asset is unresolved', '--from|first day', '--to|last day', '--period|2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...', '--fiscal-year-start|first day of the fiscal year', '--start-time|value of the parameter startTime in Unix milliseconds, sent unchanged', '--end-time|value of the parameter endTime in Unix milliseconds, sent unchanged', '--query|additional query parameter for the service, sent unchanged', '--exit-code|exit with 10 if a negative balance is found', '--columns|columns to show')
        'ledgers explain' = @('--from|first day', '--to|last day', '--period|2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...', '--fiscal-year-start|first day of the fiscal year', '--file|exported file to read instead of the service', '--mirror|mirror folder to read instead of the service', '--dust|set aside findings below this value in the base currency', '--min-total-gains|minimum total gains of a transaction, for the check high-pnl')
        'ledgers rollforward' = @('--from|first day', '--to|last day', '--period|2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...', '--fiscal-year-start|first day of the fiscal year', '--file|exported file to read instead of the service', '--mirror|mirror folder to read instead of the service', '--wallet|only this wallet, by id, alias or provider', '--asset|only this asset, by id or symbol', '--by|wallet', '--exit-code|exit with 10 if a line does not add up', '--columns|columns to show', '--chart|replace the table with a bar chart that shows exact amounts')
        'ledgers disposals' = @('--from|first day', '--to|last day', '--period|2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...', '--fiscal-year-start|first day of the fiscal year', '--file|exported file to read instead of the service', '--mirror|mirror folder to read instead of the service', '--wallet|only this wallet, by id, alias or provider', '--asset|only this asset, by id or symbol', '--include|only these kinds', '--columns|columns to show')
        'ledgers export' = @('--out|output file, or - for stdout', '--format|json, jsonl, csv, xlsx, parquet, hledger, ledger, beancount, xero, ...', '--overwrite|replace an existing file and its manifest', '--wallet|wallet by id, alias or provider', '--asset|asset by id or symbol', '--transaction-ids|legs of these transactions', '--asset-ids|legs of these assets', '--types|legs of these types', '--providers|legs of accounts at these providers', '--has-missing-price|legs with no resolved price', '--has-missing-asset|legs whose asset is unresolved', '--lt-after-balance|running balance strictly less than this', '--gt-after-balance|running balance strictly greater than this', '--from|first day', '--to|last day', '--period|2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...', '--fiscal-year-start|first day of the fiscal year', '--start-time|value of the parameter startTime in Unix milliseconds, sent unchanged', '--end-time|value of the parameter endTime in Unix milliseconds, sent unchanged', '--query|additional query parameter for the service, sent unchanged', '--sum-by|exact sums instead of rows, by asset, day, month, quarter, year or ...', '--columns|columns to show', '--csv-guard|escape formulas and control characters in the text cells of CSV and ...', '--csv-dialect|CSV dialect', '--separator|CSV separator, as a name or a character', '--decimal-comma|use a decimal comma in CSV', '--parquet-decimals|Parquet type of decimals', '--parquet-numbers|Parquet type of the columns value and price', '--partition-by|split the export by these keys into a Hive-style folder of Parquet ...', '--accounts|file with account names for journals', '--roll-up|write one journal entry per day or month, with the sums by account', '--resume|resume an unfinished export to the same file', '--restart|discard an unfinished export to the same file and start over', '--concurrency|maximum parallel requests', '--max-rps|maximum requests per second', '--patience|keep retrying for this long after the last successful response')
        'ledgers verify' = @('--offline|check only the file, without the service', '--deep|read the range again and compare the contents of every leg', '--columns|columns to show')
        'ledgers diff' = @('--mirror|folder of a mirror to use instead of the service', '--sums|print changed sums instead of changed legs', '--exit-code|exit with 10 if anything changed', '--columns|columns to show')
        'audit' = @('--from|first day', '--to|last day', '--period|2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...', '--fiscal-year-start|first day of the fiscal year', '--file|exported file to read instead of the service', '--mirror|mirror folder to read instead of the service', '--dust|set aside findings below this value in the base currency', '--min-total-gains|minimum total gains of a transaction, for the check high-pnl', '--wallet|only this wallet, by id, alias or provider', '--asset|only this asset, by id or symbol', '--check|only these checks', '--ignore|file of accepted findings', '--all|list every open finding in the table', '--exit-code|exit with 10 if there are open findings', '--columns|columns to show', '--report|also write a report as one HTML page', '--overwrite|replace an existing report')
        'audit run' = @('--from|first day', '--to|last day', '--period|2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...', '--fiscal-year-start|first day of the fiscal year', '--file|exported file to read instead of the service', '--mirror|mirror folder to read instead of the service', '--dust|set aside findings below this value in the base currency', '--min-total-gains|minimum total gains of a transaction, for the check high-pnl', '--wallet|only this wallet, by id, alias or provider', '--asset|only this asset, by id or symbol', '--check|only these checks', '--ignore|file of accepted findings', '--all|list every open finding in the table', '--exit-code|exit with 10 if there are open findings', '--columns|columns to show', '--report|also write a report as one HTML page', '--overwrite|replace an existing report')
        'audit explain' = @('--from|first day', '--to|last day', '--period|2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...', '--fiscal-year-start|first day of the fiscal year', '--file|exported file to read instead of the service', '--mirror|mirror folder to read instead of the service', '--dust|set aside findings below this value in the base currency', '--min-total-gains|minimum total gains of a transaction, for the check high-pnl')
        'close' = @('--from|first day', '--to|last day', '--period|2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...', '--fiscal-year-start|first day of the fiscal year', '--mirror|mirror folder to read instead of the service', '--out|folder to write', '--overwrite|replace an existing filing pack', '--dust|set aside findings below this value in the base currency', '--ignore|file of accepted findings, with an id and a reason on each line', '--journal|journal format', '--accounts|file with account names for journals')
        'close run' = @('--from|first day', '--to|last day', '--period|2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...', '--fiscal-year-start|first day of the fiscal year', '--mirror|mirror folder to read instead of the service', '--out|folder to write', '--overwrite|replace an existing filing pack', '--dust|set aside findings below this value in the base currency', '--ignore|file of accepted findings, with an id and a reason on each line', '--journal|journal format', '--accounts|file with account names for journals')
        'close verify' = @('--offline|check only the files, and send no request', '--mirror|compare with this mirror instead of the service', '--columns|columns to show')
        'mirror' = @('--full|read every time window again, to find edited legs', '--tables|lists in addition to ledgers', '--concurrency|maximum parallel requests', '--max-rps|maximum requests per second', '--patience|keep retrying for this long after the last successful response')
        'mirror run' = @('--full|read every time window again, to find edited legs', '--tables|lists in addition to ledgers', '--concurrency|maximum parallel requests', '--max-rps|maximum requests per second', '--patience|keep retrying for this long after the last successful response')
        'mirror status' = @('--deep|check the hash of each file, not only its size', '--max-age|warn if the last verified run is older than this', '--exit-code|exit with 10 if the mirror is unverified, damaged or older than ...')
        'mirror changes' = @('--from|first day', '--to|last day', '--period|2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...', '--sums|print changed sums instead of changed legs', '--exit-code|exit with 10 if anything changed', '--columns|columns to show')
        'mirror sql' = @('--schema|list the tables and their columns')
        'mirror load' = @('--to|the database', '--schema|schema for the tables', '--full|send every row again, for example after manual edits in the database')
        'balances' = @('--as-of|time of the balances', '--file|exported file to read instead of the service', '--mirror|mirror folder to read instead of the service', '--wallet|only this wallet, by id, alias or provider', '--asset|only this asset, by id or symbol', '--by|wallet', '--hide-zero|omit balances of 0', '--columns|columns to show', '--chart|replace the table with a bar chart that shows exact amounts')
        'balances list' = @('--as-of|time of the balances', '--file|exported file to read instead of the service', '--mirror|mirror folder to read instead of the service', '--wallet|only this wallet, by id, alias or provider', '--asset|only this asset, by id or symbol', '--by|wallet', '--hide-zero|omit balances of 0', '--columns|columns to show', '--chart|replace the table with a bar chart that shows exact amounts')
        'holdings' = @('--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show', '--chart|replace the table with a bar chart that shows exact amounts')
        'holdings list' = @('--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show', '--chart|replace the table with a bar chart that shows exact amounts')
        'holdings nfts' = @('--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'holdings defi' = @('--totals|print only the totals, as one record', '--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'holdings balances' = @('--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'txns' = @('--preset|uncategorized, high-pnl', '--types|transactions of these types', '--labels|transactions with one of these labels', '--not-labels|transactions with none of these labels', '--not-wallet-ids|transactions without legs in these accounts', '--is-uncategorised-ignored|whether the transaction is excluded from the list of uncategorised ...', '--min-total-gains|minimum total gains', '--is-high-pnl-reviewed|whether a high profit or loss was reviewed', '--is-missing-transaction|whether a purchase is missing', '--has-missing-price|whether a price is missing', '--query|additional query parameter for the service, sent unchanged', '--from|first day', '--to|last day', '--period|2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...', '--fiscal-year-start|first day of the fiscal year', '--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--columns|columns to show')
        'txns list' = @('--preset|uncategorized, high-pnl', '--types|transactions of these types', '--labels|transactions with one of these labels', '--not-labels|transactions with none of these labels', '--not-wallet-ids|transactions without legs in these accounts', '--is-uncategorised-ignored|whether the transaction is excluded from the list of uncategorised ...', '--min-total-gains|minimum total gains', '--is-high-pnl-reviewed|whether a high profit or loss was reviewed', '--is-missing-transaction|whether a purchase is missing', '--has-missing-price|whether a price is missing', '--query|additional query parameter for the service, sent unchanged', '--from|first day', '--to|last day', '--period|2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...', '--fiscal-year-start|first day of the fiscal year', '--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--columns|columns to show')
        'txns ledgers' = @('--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'txns export' = @('--out|output file, or - for stdout', '--format|json, jsonl, csv, xlsx, parquet', '--overwrite|replace an existing file and its manifest', '--preset|uncategorized, high-pnl', '--types|transactions of these types', '--labels|transactions with one of these labels', '--not-labels|transactions with none of these labels', '--not-wallet-ids|transactions without legs in these accounts', '--is-uncategorised-ignored|whether the transaction is excluded from the list of uncategorised ...', '--min-total-gains|minimum total gains', '--is-high-pnl-reviewed|whether a high profit or loss was reviewed', '--is-missing-transaction|whether a purchase is missing', '--has-missing-price|whether a price is missing', '--query|additional query parameter for the service, sent unchanged', '--from|first day', '--to|last day', '--period|2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...', '--fiscal-year-start|first day of the fiscal year', '--columns|columns to show', '--csv-guard|escape formulas and control characters in the text cells of CSV and ...', '--csv-dialect|CSV dialect', '--separator|CSV separator, as a name or a character', '--decimal-comma|use a decimal comma in CSV', '--parquet-decimals|Parquet type of decimals', '--parquet-numbers|Parquet type of the columns value and price')
        'txns batch' = @('--yes|skip the confirmation', '--dry-run|print the exact request without sending it')
        'labels' = @('--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'labels list' = @('--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'assets' = @('--contract-address|asset with this contract address', '--text-parameter|name of the query parameter for TEXT', '--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'assets search' = @('--contract-address|asset with this contract address', '--text-parameter|name of the query parameter for TEXT', '--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'spam' = @('--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'spam list' = @('--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'contacts' = @('--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'contacts list' = @('--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'counter-parties' = @('--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'counter-parties list' = @('--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'providers' = @('--type|providers of this type', '--featured|only providers highlighted by the service', '--is-working|only operational providers', '--search|text to find in the name, public name or slug', '--page|page number', '--limit|maximum number of rows to show', '--all|read all pages', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'providers list' = @('--type|providers of this type', '--featured|only providers highlighted by the service', '--is-working|only operational providers', '--search|text to find in the name, public name or slug', '--page|page number', '--limit|maximum number of rows to show', '--all|read all pages', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'providers get' = @('--columns|columns to show')
        'legacy' = @()
        'legacy providers' = @('--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'legacy integrations' = @('--all|read all pages', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'legacy holdings' = @('--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'legacy userinfo' = @('--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'legacy nfts' = @('--source|NFTs held at these sources', '--collection|NFTs of these collections', '--chain|NFTs on this chain', '--token-id|NFT with this token id', '--contract|NFTs of this contract', '--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'legacy defi' = @('--doc-id|only the position with this document id', '--sort-by-highest-value|whether to list the highest value first', '--limit|rows to show', '--all|all rows, up to the limit of the endpoint', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'legacy post' = @('--wallet-id|id of the wallet to post to', '--label|label for transactions that have no label', '--format|json or csv', '--allow-long-numbers|send amounts with more digits than a double-precision number can ...', '--force|also send one-sided trades, zero or negative amounts, and repeated ...', '--receipt|new file for the request and the response', '--query|additional query parameter for the service, sent unchanged', '--yes|skip the confirmation', '--dry-run|print the exact request without sending it')
        'legacy renames' = @('--path|path, field or part of a response to look up', '--columns|columns to show')
        'legacy convert' = @('--kind|record kind', '--zero-roi|keep a 0 in the field "roi", or convert it to null', '--report|file for a JSON report of all changes', '--overwrite|replace an existing file and its manifest')
        'api' = @('--query|additional query parameter for the service, sent unchanged', '--data|JSON body', '--all|read all pages of a list and print the rows as one array', '--include|print the response status and headers on stderr', '--legacy|use the legacy API', '--legacy-public|use the public host of the legacy API', '--yes|skip the confirmation', '--dry-run|print the exact request without sending it')
        'integrations' = @('--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'integrations list' = @('--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'integrations assets' = @('--limit|maximum number of rows to show', '--offset|rows to skip', '--all|read all pages', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'integrations alias-exists' = @('--parameter|name of the query parameter', '--query|additional query parameter for the service, sent unchanged', '--exit-code|exit with 10 if the alias is taken, and with 9 if the response is ...')
        'integrations test-credentials' = @('--data|JSON to send', '--dry-run|print the exact request without sending it')
        'integrations batch-delete' = @('--field|name of the request field that contains the ids', '--data|the whole body instead of ids', '--yes|skip the confirmation', '--dry-run|print the exact request without sending it')
        'integrations wait' = @('--timeout|maximum time to wait', '--synced-since|also wait until every COMPLETED account has synced since this time, ...')
        'sync' = @('--status|only accounts with one of these statuses', '--exit-code|exit with 10 if an account is FAILED, or if a COMPLETED account ...', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'sync status' = @('--status|only accounts with one of these statuses', '--exit-code|exit with 10 if an account is FAILED, or if a COMPLETED account ...', '--query|additional query parameter for the service, sent unchanged', '--columns|columns to show')
        'sync get' = @('--columns|columns to show')
        'sync watch' = @('--until|final states in addition to partially_synced and cancelled', '--timeout|maximum time to wait')
        'sync resync-all' = @('--data|request body', '--yes|skip the confirmation', '--dry-run|print the exact request without sending it')
        'csv' = @()
        'csv check' = @('--max-size|maximum size of a file', '--max-files|maximum files per upload', '--exit-code|exit with 10 if there are findings', '--columns|columns to show')
        'csv upload' = @('--field|name of the form field for the files', '--form|additional form field', '--max-size|maximum size of a file', '--max-files|maximum files per upload', '--yes|skip the confirmation', '--dry-run|print the exact request without sending it')
        'events' = @()
        'events listen' = @('--port|port to listen on', '--host|address to listen on', '--sandbox|start a sandbox that posts to this listener', '--path|path to accept', '--forward-to|URL to forward stored deliveries to', '--resume|forward pending deliveries before new deliveries', '--store|file that stores deliveries', '--types|event kinds to store and forward', '--mirror|mirror in which integration.updated and costbasis.completed mark legs ...', '--secret-env|environment variable that contains the signing secret', '--signature-header|header that contains the signature', '--signature-encoding|encoding of the signature', '--max-body|maximum size of a request body')
        'events list' = @('--store|file that stores deliveries', '--id|delivery ids', '--types|event kinds', '--from|earliest time of receipt', '--to|latest time of receipt', '--period|2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...', '--fiscal-year-start|first day of the fiscal year', '--undelivered|only deliveries that "events listen" has not forwarded', '--columns|columns to show')
        'events verify' = @('--exit-code|exit with 10 if there are findings', '--secret-env|environment variable that contains the signing secret', '--signature-header|header that contains the signature', '--signature-encoding|encoding of the signature', '--columns|columns to show')
        'events replay' = @('--store|file that stores deliveries', '--id|delivery ids', '--types|event kinds', '--from|earliest time of receipt', '--to|latest time of receipt', '--period|2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, ...', '--fiscal-year-start|first day of the fiscal year', '--undelivered|only deliveries that "events listen" has not forwarded', '--forward-to|address to post to', '--retries|maximum retries per delivery', '--rate|maximum deliveries per second', '--secret-env|environment variable that contains the signing secret', '--signature-header|header that contains the signature', '--signature-encoding|encoding of the signature', '--keep-going|continue with the next delivery if the final attempt for a delivery ...', '--dry-run|list the selected deliveries without sending them', '--columns|columns to show')
        'events trigger' = @('--forward-to|address to post to, instead of the sandbox', '--set|field to set', '--data|data of the envelope as JSON', '--secret-env|environment variable that contains the signing secret', '--signature-header|header that contains the signature', '--signature-encoding|encoding of the signature', '--dry-run|print the delivery without sending it', '--columns|columns to show')
        'sandbox' = @('--port|port to listen on', '--rows|number of ledgers in the workspace', '--seed|seed for the generated data', '--auto-consent|grant consent without showing the consent page, for scripts', '--consent-as|member who logs in and owns the access token', '--client-scopes|scopes to register for the client', '--unregistered-scopes|handling of a login that requests an unregistered scope', '--locked-until|end of the locked accounting period', '--data|directory with files to serve instead of generated data', '--labels|labels that the sandbox accepts in posted transactions', '--snapshot|initial state, from sandbox snapshot save', '--fault|a fault to inject', '--scenario|scenario to run', '--receiver|address to post events to', '--secret-env|environment variable that contains the secret for signatures', '--signature-header|header that contains the signature', '--signature-encoding|signature encoding')
        'sandbox start' = @('--port|port to listen on', '--rows|number of ledgers in the workspace', '--seed|seed for the generated data', '--auto-consent|grant consent without showing the consent page, for scripts', '--consent-as|member who logs in and owns the access token', '--client-scopes|scopes to register for the client', '--unregistered-scopes|handling of a login that requests an unregistered scope', '--locked-until|end of the locked accounting period', '--data|directory with files to serve instead of generated data', '--labels|labels that the sandbox accepts in posted transactions', '--snapshot|initial state, from sandbox snapshot save', '--fault|a fault to inject', '--scenario|scenario to run', '--receiver|address to post events to', '--secret-env|environment variable that contains the secret for signatures', '--signature-header|header that contains the signature', '--signature-encoding|signature encoding')
        'sandbox exec' = @('--port|port to listen on', '--rows|number of ledgers in the workspace', '--seed|seed for the generated data', '--auto-consent|grant consent without showing the consent page, for scripts', '--consent-as|member who logs in and owns the access token', '--client-scopes|scopes to register for the client', '--unregistered-scopes|handling of a login that requests an unregistered scope', '--locked-until|end of the locked accounting period', '--data|directory with files to serve instead of generated data', '--labels|labels that the sandbox accepts in posted transactions', '--snapshot|initial state, from sandbox snapshot save', '--fault|a fault to inject', '--scenario|scenario to run', '--receiver|address to post events to', '--secret-env|environment variable that contains the secret for signatures', '--signature-header|header that contains the signature', '--signature-encoding|signature encoding', '--credential|credential for the command')
        'sandbox data' = @('--rows|number of ledgers in a new sandbox', '--seed|seed of a new sandbox', '--as|resource in the file, import only', '--overwrite|replace existing data files in the directory', '--force|same as --overwrite', '--columns|columns to show')
        'sandbox snapshot' = @('--overwrite|for save')
        'sandbox scenario' = @('--columns|columns to show')
        'sandbox errors' = @('--shape|only error codes in response bodies of this shape', '--columns|columns to show')
        'sandbox coverage' = @('--kind|only clauses of this kind', '--open|only details that the specification leaves open', '--columns|columns to show')
        'config' = @('--show-origin|show where each value comes from')
        'config list' = @('--show-origin|show where each value comes from')
        'config get' = @()
        'config set' = @('--keep-session|send the stored session or API key to the new address', '--yes|skip the confirmation')
        'config unset' = @()
        'config path' = @()
        'profiles' = @('--columns|columns to show')
        'profiles list' = @('--columns|columns to show')
        'profiles use' = @()
        'profiles delete' = @('--yes|skip the confirmation')
        'completion' = @()
        'completion install' = @('--shell|bash, zsh or fish', '--dry-run|print the path of the file, but do not write the file')
        'completion bash' = @()
        'completion zsh' = @()
        'completion fish' = @()
        'completion powershell' = @()
        'commands' = @()
        'schema' = @('--line|schema of one line of the output with -o jsonl')
        'mcp' = @('--timeout|time limit for one call')
        'doctor' = @('--exit-code|exit with 10 if there is a problem')
        'help' = @()
        'help ledgers' = @()
        'help audit' = @()
        'help close' = @()
        'help mirror' = @()
        'help balances' = @()
        'help holdings' = @()
        'help txns' = @()
        'help labels' = @()
        'help assets' = @()
        'help spam' = @()
        'help contacts' = @()
        'help counter-parties' = @()
        'help providers' = @()
        'help legacy' = @()
        'help integrations' = @()
        'help sync' = @()
        'help csv' = @()
        'help events' = @()
        'help sandbox' = @()
        'help config' = @()
        'help profiles' = @()
        'help completion' = @()
        'help environment' = @()
        'help exit-codes' = @()
        'help output' = @()
        'help time' = @()
        'help scripting' = @()
        'help security' = @()
        'help errors' = @()
        'help states' = @()
    }
    $globals = @(
        '--profile|profile in config.toml'
        '--all-profiles|run for every profile, one after the other'
        '--output|output format'
        '--json|short for -o json'
        '--jsonl|short for -o jsonl'
        '--csv|short for -o csv'
        '--auth-url|address of the authorization server, without /oidc'
        '--base-url|address of the data API, without /v1'
        '--legacy-base-url|address of the legacy data API, without /api'
        '--legacy-public-url|host of the public list of integrations in the legacy API'
        '--client-id|id of the registered OAuth client'
        '--workspace|workspace id'
        '--tz|time zone of calendar days and displayed times'
        '--full|show every digit of amounts in tables'
        '--jq|filter the JSON result with a jq expression'
        '--curl|print the first request as a curl command, and send nothing'
        '--no-truncate|show tables in full, even if they are wider than the terminal'
        '--no-pager|do not show long tables in a pager'
        '--quiet|print only results, warnings and errors, without notes and progress'
        '--debug|log each request, without secrets, and show stack traces'
        '--help|show help'
    )
    # Whether a flag needs a value, may have one, or has none.
    $takes = @{
        'api --include' = 'nothing'
        'mirror load --schema' = 'value'
        '* --timeout' = 'value'
        '* --scopes' = 'value'
        '* --columns' = 'value'
        '* --min-ttl' = 'value'
        '* --wallet' = 'value'
        '* --asset' = 'value'
        '* --transaction-ids' = 'value'
        '* --asset-ids' = 'value'
        '* --types' = 'value'
        '* --providers' = 'value'
        '* --lt-after-balance' = 'value'
        '* --gt-after-balance' = 'value'
        '* --from' = 'value'
        '* --since' = 'value'
        '* --to' = 'value'
        '* --until' = 'value'
        '* --period' = 'value'
        '* --fiscal-year-start' = 'value'
        '* --start-time' = 'value'
        '* --end-time' = 'value'
        '* -q' = 'value'
        '* --query' = 'value'
        '* --sort-by' = 'value'
        '* --sort-order' = 'value'
        '* --limit' = 'value'
        '* --offset' = 'value'
        '* --sum-by' = 'value'
        '* --file' = 'value'
        '* --mirror' = 'value'
        '* --dust' = 'value'
        '* --min-total-gains' = 'value'
        '* --by' = 'value'
        '* --include' = 'value'
        '* --out' = 'value'
        '* --format' = 'value'
        '* --csv-guard' = 'value'
        '* --csv-dialect' = 'value'
        '* --separator' = 'value'
        '* --parquet-decimals' = 'value'
        '* --parquet-numbers' = 'value'
        '* --partition-by' = 'value'
        '* --accounts' = 'value'
        '* --roll-up' = 'value'
        '* --concurrency' = 'value'
        '* --max-rps' = 'value'
        '* --patience' = 'value'
        '* --check' = 'value'
        '* --ignore' = 'value'
        '* --report' = 'value'
        '* --journal' = 'value'
        '* --tables' = 'value'
        '* --max-age' = 'value'
        '* --as-of' = 'value'
        '* --preset' = 'value'
        '* --labels' = 'value'
        '* --not-labels' = 'value'
        '* --not-wallet-ids' = 'value'
        '* --contract-address' = 'value'
        '* --text-parameter' = 'value'
        '* --type' = 'value'
        '* --search' = 'value'
        '* --page' = 'value'
        '* --source' = 'value'
        '* --collection' = 'value'
        '* --chain' = 'value'
        '* --token-id' = 'value'
        '* --contract' = 'value'
        '* --doc-id' = 'value'
        '* --wallet-id' = 'value'
        '* --label' = 'value'
        '* --receipt' = 'value'
        '* --path' = 'value'
        '* --kind' = 'value'
        '* --zero-roi' = 'value'
        '* -d' = 'value'
        '* --data' = 'value'
        '* --parameter' = 'value'
        '* --field' = 'value'
        '* --synced-since' = 'value'
        '* --status' = 'value'
        '* --max-size' = 'value'
        '* --max-files' = 'value'
        '* --form' = 'value'
        '* --port' = 'value'
        '* --host' = 'value'
        '* --forward-to' = 'value'
        '* --store' = 'value'
        '* --secret-env' = 'value'
        '* --signature-header' = 'value'
        '* --signature-encoding' = 'value'
        '* --max-body' = 'value'
        '* --id' = 'value'
        '* --retries' = 'value'
        '* --rate' = 'value'
        '* --set' = 'value'
        '* --rows' = 'value'
        '* --seed' = 'value'
        '* --consent-as' = 'value'
        '* --client-scopes' = 'value'
        '* --unregistered-scopes' = 'value'
        '* --locked-until' = 'value'
        '* --snapshot' = 'value'
        '* --fault' = 'value'
        '* --scenario' = 'value'
        '* --receiver' = 'value'
        '* --credential' = 'value'
        '* --as' = 'value'
        '* --shape' = 'value'
        '* --shell' = 'value'
        '* -p' = 'value'
        '* --profile' = 'value'
        '* -o' = 'value'
        '* --output' = 'value'
        '* --auth-url' = 'value'
        '* --base-url' = 'value'
        '* --legacy-base-url' = 'value'
        '* --legacy-public-url' = 'value'
        '* --client-id' = 'value'
        '* --workspace' = 'value'
        '* --tz' = 'value'
        '* --jq' = 'value'
        '* --has-missing-price' = 'maybe'
        '* --has-missing-asset' = 'maybe'
        '* --is-uncategorised-ignored' = 'maybe'
        '* --is-high-pnl-reviewed' = 'maybe'
        '* --is-missing-transaction' = 'maybe'
        '* --featured' = 'maybe'
        '* --is-working' = 'maybe'
        '* --sort-by-highest-value' = 'maybe'
    }
    $offers = @{
        'ledgers verify #1' = @{ Words = @(); Live = 'files' }
        'ledgers diff #1' = @{ Words = @(); Live = 'files' }
        'ledgers diff #2' = @{ Words = @(); Live = 'files' }
        'close verify #1' = @{ Words = @(); Live = 'folders' }
        'mirror #1' = @{ Words = @(); Live = 'folders' }
        'mirror run #1' = @{ Words = @(); Live = 'folders' }
        'mirror status #1' = @{ Words = @(); Live = 'folders' }
        'mirror changes #1' = @{ Words = @(); Live = 'folders' }
        'mirror sql #1' = @{ Words = @(); Live = 'folders' }
        'mirror load #1' = @{ Words = @(); Live = 'folders' }
        'txns batch #1' = @{ Words = @(); Live = 'files' }
        'legacy post #1' = @{ Words = @(); Live = 'files' }
        'legacy convert #1' = @{ Words = @(); Live = 'files' }
        'api #1' = @{ Words = @('GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE') }
        'api #2' = @{ Words = @('/v1/providers', '/v1/ledgers', '/v1/transactions', '/v1/transactions/batch', '/v1/holdings', '/v1/nfts', '/v1/defi', '/v1/defi/totals', '/v1/calculated-balances', '/v1/integrations', '/v1/integrations/alias-exists', '/v1/integrations/test-credentials', '/v1/integrations/batch-delete', '/v1/integrations/resync-all', '/v1/csv/upload', '/v1/labels', '/v1/assets/search', '/v1/spam', '/v1/contacts', '/v1/counter-parties', '/v1/users/me', '/integrations/public/list', '/api/v1/integrations', '/api/v1/holdings', '/api/v1/nft-holdings', '/v0/defi-holdings', '/api/v1/userinfo', '/api/v0/transactions') }
        'csv check #*' = @{ Words = @(); Live = 'files' }
        'csv upload #*' = @{ Words = @(); Live = 'files' }
        'events verify #1' = @{ Words = @(); Live = 'files' }
        'events trigger #1' = @{ Words = @('integration.created', 'integration.updated', 'integration.deleted', 'integration.failed', 'transfer_detection.started', 'transfer_detection.completed', 'transfer_detection.failed', 'costbasis.started', 'costbasis.completed', 'costbasis.failed') }
        'sandbox exec #*' = @{ Words = @(); Live = 'command' }
        'sandbox data #1' = @{ Words = @('export', 'import') }
        'sandbox data #2' = @{ Words = @(); Live = 'files' }
        'sandbox data #3' = @{ Words = @(); Live = 'folders' }
        'sandbox snapshot #1' = @{ Words = @('save', 'load') }
        'sandbox snapshot #2' = @{ Words = @(); Live = 'files' }
        'sandbox scenario #1' = @{ Words = @('flaky-network', 'rate-limited', 'drifting-pages', 'token-revoked', 'partial-sync', 'locked-period', 'webhook-storm') }
        'sandbox errors #1' = @{ Words = @('unauthorized', 'insufficient_scope', 'forbidden', 'bad_request', 'server_error', 'VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT', 'CREDENTIAL_VALIDATION_FAILED', 'SYNC_ERROR', 'FILE_REQUIRED', 'INVALID_FILE_TYPE', 'TOO_MANY_FILES', 'FILE_TOO_LARGE', 'RATE_LIMIT_EXCEEDED', 'EXTERNAL_SERVICE_ERROR', 'INTERNAL_ERROR', 'BAD_REQUEST', 'PERIOD_LOCKED', 'CURRENCY_CONVERSION_FAILED', 'invalid_parameters', 'invalid_request', 'invalid_client', 'invalid_grant', 'unauthorized_client', 'unsupported_grant_type', 'invalid_scope', 'access_denied', 'invalid_token') }
        'config get #1' = @{ Words = @('auth_url', 'base_url', 'legacy_base_url', 'legacy_public_url', 'client_id', 'redirect_uri', 'scopes', 'workspace', 'csv_field', 'batch_delete_field', 'output', 'tz', 'keychain') }
        'config set #1' = @{ Words = @('auth_url', 'base_url', 'legacy_base_url', 'legacy_public_url', 'client_id', 'redirect_uri', 'scopes', 'workspace', 'csv_field', 'batch_delete_field', 'output', 'tz', 'keychain') }
        'config unset #1' = @{ Words = @('auth_url', 'base_url', 'legacy_base_url', 'legacy_public_url', 'client_id', 'redirect_uri', 'scopes', 'workspace', 'csv_field', 'batch_delete_field', 'output', 'tz', 'keychain') }
        'profiles use #1' = @{ Words = @(); Live = 'profiles' }
        'profiles delete #1' = @{ Words = @(); Live = 'profiles' }
        'schema #*' = @{ Words = @(); Live = 'command' }
        'help errors #1' = @{ Words = @('unauthorized', 'insufficient_scope', 'forbidden', 'bad_request', 'server_error', 'VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT', 'CREDENTIAL_VALIDATION_FAILED', 'SYNC_ERROR', 'FILE_REQUIRED', 'INVALID_FILE_TYPE', 'TOO_MANY_FILES', 'FILE_TOO_LARGE', 'RATE_LIMIT_EXCEEDED', 'EXTERNAL_SERVICE_ERROR', 'INTERNAL_ERROR', 'BAD_REQUEST', 'PERIOD_LOCKED', 'CURRENCY_CONVERSION_FAILED', 'invalid_request', 'invalid_client', 'invalid_grant', 'unauthorized_client', 'unsupported_grant_type', 'invalid_scope', 'access_denied', 'invalid_token', 'invalid_parameters') }
        'help states #1' = @{ Words = @('QUEUED', 'SYNCING', 'COMPLETED', 'FAILED', 'DELETING', 'DELETED', 'INACTIVE', 'partially_synced', 'cancelled', 'started', 'completed', 'failed', 'locked') }
        'ledgers --columns' = @{ Words = @('id', 'transactionId', 'workspaceId', 'type', 'assetId', 'symbol', 'assetRaw.symbol', 'quantity', 'baseCurrency', 'price.price', 'price.baseCurrency', 'price.timestamp', 'price.source', 'value', 'timestamp', 'time', 'walletId', 'wallet', 'syncId', 'fromAccount.provider', 'fromAccount.walletId', 'toAccount.provider', 'toAccount.walletId', 'label', 'description', 'internalLabel', 'isEdited', 'beforeBalance', 'afterBalance', 'costbasis', 'proceeds', 'profit', 'debitCoaCode', 'creditCoaCode', 'isDebitCoaEdited', 'isCreditCoaEdited', 'asset.symbol', 'asset.name', 'asset.logoUrl', 'asset.type'); Separated = $true }
        'ledgers list --columns' = @{ Words = @('id', 'transactionId', 'workspaceId', 'type', 'assetId', 'symbol', 'assetRaw.symbol', 'quantity', 'baseCurrency', 'price.price', 'price.baseCurrency', 'price.timestamp', 'price.source', 'value', 'timestamp', 'time', 'walletId', 'wallet', 'syncId', 'fromAccount.provider', 'fromAccount.walletId', 'toAccount.provider', 'toAccount.walletId', 'label', 'description', 'internalLabel', 'isEdited', 'beforeBalance', 'afterBalance', 'costbasis', 'proceeds', 'profit', 'debitCoaCode', 'creditCoaCode', 'isDebitCoaEdited', 'isCreditCoaEdited', 'asset.symbol', 'asset.name', 'asset.logoUrl', 'asset.type'); Separated = $true }
        'ledgers get --columns' = @{ Words = @('id', 'transactionId', 'workspaceId', 'type', 'assetId', 'symbol', 'assetRaw.symbol', 'quantity', 'baseCurrency', 'price.price', 'price.baseCurrency', 'price.timestamp', 'price.source', 'value', 'timestamp', 'time', 'walletId', 'wallet', 'syncId', 'fromAccount.provider', 'fromAccount.walletId', 'toAccount.provider', 'toAccount.walletId', 'label', 'description', 'internalLabel', 'isEdited', 'beforeBalance', 'afterBalance', 'costbasis', 'proceeds', 'profit', 'debitCoaCode', 'creditCoaCode', 'isDebitCoaEdited', 'isCreditCoaEdited', 'asset.symbol', 'asset.name', 'asset.logoUrl', 'asset.type'); Separated = $true }
        'ledgers export --columns' = @{ Words = @('id', 'transactionId', 'workspaceId', 'type', 'assetId', 'symbol', 'assetRaw.symbol', 'quantity', 'baseCurrency', 'price.price', 'price.baseCurrency', 'price.timestamp', 'price.source', 'value', 'timestamp', 'time', 'walletId', 'wallet', 'syncId', 'fromAccount.provider', 'fromAccount.walletId', 'toAccount.provider', 'toAccount.walletId', 'label', 'description', 'internalLabel', 'isEdited', 'beforeBalance', 'afterBalance', 'costbasis', 'proceeds', 'profit', 'debitCoaCode', 'creditCoaCode', 'isDebitCoaEdited', 'isCreditCoaEdited', 'asset.symbol', 'asset.name', 'asset.logoUrl', 'asset.type'); Separated = $true }
        'txns ledgers --columns' = @{ Words = @('id', 'transactionId', 'workspaceId', 'type', 'assetId', 'symbol', 'assetRaw.symbol', 'quantity', 'baseCurrency', 'price.price', 'price.baseCurrency', 'price.timestamp', 'price.source', 'value', 'timestamp', 'time', 'walletId', 'wallet', 'syncId', 'fromAccount.provider', 'fromAccount.walletId', 'toAccount.provider', 'toAccount.walletId', 'label', 'description', 'internalLabel', 'isEdited', 'beforeBalance', 'afterBalance', 'costbasis', 'proceeds', 'profit', 'debitCoaCode', 'creditCoaCode', 'isDebitCoaEdited', 'isCreditCoaEdited', 'asset.symbol', 'asset.name', 'asset.logoUrl', 'asset.type'); Separated = $true }
        'txns --columns' = @{ Words = @('id', 'time', 'incoming', 'outgoing', 'fees'); Separated = $true }
        'txns list --columns' = @{ Words = @('id', 'time', 'incoming', 'outgoing', 'fees'); Separated = $true }
        'txns export --columns' = @{ Words = @('id', 'time', 'incoming', 'outgoing', 'fees'); Separated = $true }
        'providers --columns' = @{ Words = @('id', 'slug', 'name', 'publicName', 'description', 'type', 'logo', 'featured', 'isWorking', 'importMethods', 'credentialFields', 'capabilities', 'walletSupportedChains', 'functions', 'integrationInfo', 'walletLimitations', 'metadata', 'createdAt', 'updatedAt'); Separated = $true }
        'providers list --columns' = @{ Words = @('id', 'slug', 'name', 'publicName', 'description', 'type', 'logo', 'featured', 'isWorking', 'importMethods', 'credentialFields', 'capabilities', 'walletSupportedChains', 'functions', 'integrationInfo', 'walletLimitations', 'metadata', 'createdAt', 'updatedAt'); Separated = $true }
        'providers get --columns' = @{ Words = @('id', 'slug', 'name', 'publicName', 'description', 'type', 'logo', 'featured', 'isWorking', 'importMethods', 'credentialFields', 'capabilities', 'walletSupportedChains', 'functions', 'integrationInfo', 'walletLimitations', 'metadata', 'createdAt', 'updatedAt'); Separated = $true }
        'ledgers diff --columns' = @{ Words = @('change', 'id', 'timestamp', 'field', 'from', 'to'); Separated = $true }
        'mirror changes --columns' = @{ Words = @('change', 'id', 'timestamp', 'field', 'from', 'to'); Separated = $true }
        'audit --columns' = @{ Words = @('id', 'check', 'severity', 'walletId', 'wallet', 'assetId', 'symbol', 'ledgerId', 'transactionId', 'timestamp', 'time', 'legs', 'expected', 'actual', 'amount', 'value', 'baseCurrency', 'message', 'likelyCause', 'evidence', 'next'); Separated = $true }
        'audit run --columns' = @{ Words = @('id', 'check', 'severity', 'walletId', 'wallet', 'assetId', 'symbol', 'ledgerId', 'transactionId', 'timestamp', 'time', 'legs', 'expected', 'actual', 'amount', 'value', 'baseCurrency', 'message', 'likelyCause', 'evidence', 'next'); Separated = $true }
        'balances --columns' = @{ Words = @('walletId', 'wallet', 'assetId', 'symbol', 'legs', 'balance', 'lastLegAt', 'lastLegTime', 'ledgerId', 'lastKnown', 'lastKnownAt'); Separated = $true }
        'balances list --columns' = @{ Words = @('walletId', 'wallet', 'assetId', 'symbol', 'legs', 'balance', 'lastLegAt', 'lastLegTime', 'ledgerId', 'lastKnown', 'lastKnownAt'); Separated = $true }
        'holdings --columns' = @{ Words = @('assetId', 'asset.tokenId', 'costBasis', 'costPerUnit', 'roiPercentage', 'change24h', 'change24hPercentage', 'transactionCount', 'isSpam', 'symbol', 'asset.symbol', 'quantity', 'value'); Separated = $true }
        'holdings list --columns' = @{ Words = @('assetId', 'asset.tokenId', 'costBasis', 'costPerUnit', 'roiPercentage', 'change24h', 'change24hPercentage', 'transactionCount', 'isSpam', 'symbol', 'asset.symbol', 'quantity', 'value'); Separated = $true }
        'integrations --columns' = @{ Words = @('providerId', 'isCustomWallet', 'provider', 'providerPublicName', 'publicAddress', 'walletId', 'logoUrl', 'isContract', 'alias', 'status', 'errorMessage', 'addedOn', 'lastSyncedAt', 'category', 'type', 'totalTransactions', 'account'); Separated = $true }
        'integrations list --columns' = @{ Words = @('providerId', 'isCustomWallet', 'provider', 'providerPublicName', 'publicAddress', 'walletId', 'logoUrl', 'isContract', 'alias', 'status', 'errorMessage', 'addedOn', 'lastSyncedAt', 'category', 'type', 'totalTransactions', 'account'); Separated = $true }
        'sync --columns' = @{ Words = @('providerId', 'isCustomWallet', 'provider', 'providerPublicName', 'publicAddress', 'walletId', 'logoUrl', 'isContract', 'alias', 'status', 'errorMessage', 'addedOn', 'lastSyncedAt', 'category', 'type', 'totalTransactions', 'latestSync.syncId', 'latestSync.status', 'latestSync.recordsFailed', 'latestSync.limitReached', 'latestSync.message', 'account'); Separated = $true }
        'sync status --columns' = @{ Words = @('providerId', 'isCustomWallet', 'provider', 'providerPublicName', 'publicAddress', 'walletId', 'logoUrl', 'isContract', 'alias', 'status', 'errorMessage', 'addedOn', 'lastSyncedAt', 'category', 'type', 'totalTransactions', 'latestSync.syncId', 'latestSync.status', 'latestSync.recordsFailed', 'latestSync.limitReached', 'latestSync.message', 'account'); Separated = $true }
        'profiles --columns' = @{ Words = @('name', 'active', 'base_url', 'client_id', 'source', 'workspaceName', 'workspaceId', 'role', 'accessExpiresAt', 'refreshExpiresAt'); Separated = $true }
        'profiles list --columns' = @{ Words = @('name', 'active', 'base_url', 'client_id', 'source', 'workspaceName', 'workspaceId', 'role', 'accessExpiresAt', 'refreshExpiresAt'); Separated = $true }
        'whoami --columns' = @{ Words = @('profile', 'workspaceName', 'workspaceId', 'workspaceType', 'role', 'plan', 'userinfo.name', 'userinfo.email', 'sub', 'scopesGranted', 'scopesNotGranted', 'accessExpiresAt', 'refreshExpiresAt'); Separated = $true }
        'ledgers negative --columns' = @{ Words = @('walletId', 'wallet', 'assetId', 'symbol', 'legs', 'sinceBefore', 'openingBalance', 'before', 'unknownLegs', 'began.id', 'began.transactionId', 'began.timestamp', 'began.time', 'began.type', 'began.quantity', 'began.afterBalance', 'first.id', 'first.transactionId', 'first.timestamp', 'first.time', 'first.type', 'first.quantity', 'first.afterBalance', 'deepest.id', 'deepest.transactionId', 'deepest.timestamp', 'deepest.time', 'deepest.type', 'deepest.quantity', 'deepest.afterBalance', 'deepestOfAll.id', 'deepestOfAll.transactionId', 'deepestOfAll.timestamp', 'deepestOfAll.time', 'deepestOfAll.type', 'deepestOfAll.quantity', 'deepestOfAll.afterBalance', 'end.id', 'end.transactionId', 'end.timestamp', 'end.time', 'end.type', 'end.quantity', 'end.afterBalance'); Separated = $true }
        'ledgers rollforward --columns' = @{ Words = @('walletId', 'wallet', 'assetId', 'symbol', 'legs', 'opening', 'in', 'out', 'fees', 'closing', 'difference', 'tiesOut', 'baseCurrency', 'value', 'valueUnknown', 'costbasis', 'costbasisUnknown', 'proceeds', 'proceedsUnknown', 'profit', 'profitUnknown', 'byCurrency'); Separated = $true }
        'ledgers disposals --columns' = @{ Words = @('date', 'timestamp', 'acquired', 'walletId', 'wallet', 'assetId', 'symbol', 'type', 'kind', 'quantity', 'proceeds', 'costbasis', 'profit', 'mismatch', 'baseCurrency', 'label', 'ledgerId', 'transactionId', 'note'); Separated = $true }
        'close verify --columns' = @{ Words = @('what', 'change', 'id', 'timestamp', 'field', 'from', 'to'); Separated = $true }
        'legacy providers --columns' = @{ Words = @('id', 'name', 'publicName', 'logo', 'type', 'isAPI', 'isCSV', 'isOAuth', 'isEVM', 'isWorking', 'communityId', 'importGuide', 'functions', 'integrationInfo', 'walletLimitations'); Separated = $true }
        'legacy integrations --columns' = @{ Words = @('walletId', 'name', 'type', 'address'); Separated = $true }
        'legacy holdings --columns' = @{ Words = @('asset.tokenId', 'costbasis', 'roi', '24hrChange'); Separated = $true }
        'legacy nfts --columns' = @{ Words = @('id', 'contractAddress', 'tokenId', 'name', 'description', 'contentType', 'nftUrl', 'thumbnailUrl', 'source.provider', 'source.walletId', 'source.publicAddress', 'ercType', 'amount', 'price.price', 'price.baseCurrency', 'isNftSpam', 'collection.collectionId', 'collection.name', 'collection.description', 'collection.imageUrl', 'collection.floorPrice', 'collection.ownerCount', 'collection.totalQuantity', 'collection.socialLinks', 'lastSale.fromAddress', 'lastSale.toAddress', 'lastSale.quantity', 'lastSale.timestamp', 'lastSale.transactionHash', 'lastSale.marketplaceName', 'lastSale.totalPrice.price', 'lastSale.totalPrice.baseCurrency'); Separated = $true }
        'legacy defi --columns' = @{ Words = @('id', 'name', 'chain', 'type', 'stats.net_usd_value', 'stats.asset_usd_value', 'stats.debt_usd_value', 'stats.converted_net_value', 'stats.converted_currency', 'portfolio_entry.supply_token_list', 'source.walletId', 'source.address', 'supplies'); Separated = $true }
        'legacy renames --columns' = @{ Words = @('kind', 'change', 'before', 'now', 'note'); Separated = $true }
        'sync get --columns' = @{ Words = @('status', 'recordsFailed', 'limitReached', 'message'); Separated = $true }
        'csv check --columns' = @{ Words = @('file', 'type', 'bytes', 'encoding', 'delimiter', 'header', 'rows', 'findings', 'columns'); Separated = $true }
        'events list --columns' = @{ Words = @('line', 'received', 'event', 'id', 'workspaceId', 'status'); Separated = $true }
        'events verify --columns' = @{ Words = @('line', 'id', 'event', 'problem'); Separated = $true }
        'events replay --columns' = @{ Words = @('line', 'received', 'id', 'event', 'result', 'status', 'attempts', 'error'); Separated = $true }
        'sandbox data --columns' = @{ Words = @('file', 'resource', 'records'); Separated = $true }
        'sandbox scenario --columns' = @{ Words = @('name', 'about'); Separated = $true }
        'sandbox errors --columns' = @{ Words = @('code', 'shape', 'status', 'cause', 'how', 'option'); Separated = $true }
        'sandbox coverage --columns' = @{ Words = @('id', 'kind', 'place', 'says', 'silent', 'tests'); Separated = $true }
        'events listen --types' = @{ Words = @('integration.created', 'integration.updated', 'integration.deleted', 'integration.failed', 'transfer_detection.started', 'transfer_detection.completed', 'transfer_detection.failed', 'costbasis.started', 'costbasis.completed', 'costbasis.failed'); Separated = $true }
        'events list --types' = @{ Words = @('integration.created', 'integration.updated', 'integration.deleted', 'integration.failed', 'transfer_detection.started', 'transfer_detection.completed', 'transfer_detection.failed', 'costbasis.started', 'costbasis.completed', 'costbasis.failed'); Separated = $true }
        'events replay --types' = @{ Words = @('integration.created', 'integration.updated', 'integration.deleted', 'integration.failed', 'transfer_detection.started', 'transfer_detection.completed', 'transfer_detection.failed', 'costbasis.started', 'costbasis.completed', 'costbasis.failed'); Separated = $true }
        'close --out' = @{ Words = @(); Live = 'folders' }
        'close run --out' = @{ Words = @(); Live = 'folders' }
        'sandbox --data' = @{ Words = @(); Live = 'folders' }
        'sandbox start --data' = @{ Words = @(); Live = 'folders' }
        'sandbox exec --data' = @{ Words = @(); Live = 'folders' }
        'txns export --format' = @{ Words = @('json', 'jsonl', 'csv', 'xlsx', 'parquet') }
        'legacy post --format' = @{ Words = @('json', 'csv') }
        'sandbox coverage --kind' = @{ Words = @('endpoint', 'parameter', 'default', 'bound', 'field', 'claim', 'scope', 'header', 'workspace', 'error', 'state', 'transition', 'event', 'lifetime', 'rate-limit', 'envelope', 'rename', 'removal', 'partial-success', 'rule', 'not-shown', 'silent') }
        '* --scopes' = @{ Words = @('default', 'read', 'all', 'openid', 'profile', 'offline_access', 'email', 'portfolios:read', 'transactions:read', 'integrations:read', 'contacts:read', 'tax:read', 'accounting:read', 'reports:read', 'invoices:read', 'swaps:read', 'workspace:read', 'users:read', 'portfolios:write', 'transactions:write', 'integrations:write', 'contacts:write', 'tax:write', 'accounting:write', 'reports:write', 'invoices:write', 'swaps:write', 'workspace:write', 'users:write'); Separated = $true }
        '* --types' = @{ Words = @('incoming', 'outgoing', 'fee'); Separated = $true }
        '* --has-missing-price' = @{ Words = @('true', 'false') }
        '* --has-missing-asset' = @{ Words = @('true', 'false') }
        '* --is-uncategorised-ignored' = @{ Words = @('true', 'false') }
        '* --is-high-pnl-reviewed' = @{ Words = @('true', 'false') }
        '* --is-missing-transaction' = @{ Words = @('true', 'false') }
        '* --featured' = @{ Words = @('true', 'false') }
        '* --is-working' = @{ Words = @('true', 'false') }
        '* --sort-by-highest-value' = @{ Words = @('true', 'false') }
        '* --period' = @{ Words = @('last-year', 'last-quarter', 'last-month', 'this-year', 'this-quarter', 'this-month', 'ytd', '7d', '30d'); Live = 'years' }
        '* --sort-by' = @{ Words = @('timestamp', 'createdAt') }
        '* --sort-order' = @{ Words = @('asc', 'desc') }
        '* --sum-by' = @{ Words = @('asset', 'day', 'month', 'quarter', 'year', 'walletId', 'type'); Separated = $true }
        '* --file' = @{ Words = @(); Live = 'files' }
        '* --out' = @{ Words = @(); Live = 'files' }
        '* --accounts' = @{ Words = @(); Live = 'files' }
        '* --ignore' = @{ Words = @(); Live = 'files' }
        '* --report' = @{ Words = @(); Live = 'files' }
        '* --receipt' = @{ Words = @(); Live = 'files' }
        '* --store' = @{ Words = @(); Live = 'files' }
        '* --snapshot' = @{ Words = @(); Live = 'files' }
        '* --mirror' = @{ Words = @(); Live = 'folders' }
        '* --by' = @{ Words = @('wallet', 'asset') }
        '* --include' = @{ Words = @('disposal', 'fiat', 'transfer', 'unknown'); Separated = $true }
        '* --format' = @{ Words = @('json', 'jsonl', 'csv', 'xlsx', 'parquet', 'hledger', 'ledger', 'beancount', 'xero', 'quickbooks', 'sage') }
        '* --csv-guard' = @{ Words = @('on', 'off') }
        '* --csv-dialect' = @{ Words = @('plain', 'excel') }
        '* --separator' = @{ Words = @('comma', 'semicolon', 'tab', 'bar') }
        '* --parquet-decimals' = @{ Words = @('decimal', 'string') }
        '* --parquet-numbers' = @{ Words = @('string', 'double') }
        '* --partition-by' = @{ Words = @('year', 'month', 'walletId'); Separated = $true }
        '* --roll-up' = @{ Words = @('day', 'month') }
        '* --check' = @{ Words = @('failing-source', 'stale-source', 'negative-balance', 'unknown-balance', 'opening-balance', 'broken-chain', 'arithmetic', 'unmatched-transfer', 'duplicate', 'missing-price', 'missing-asset', 'imitated-asset', 'unfinished-accounting', 'profit', 'half-posted', 'uncategorized', 'high-pnl', 'missing-purchases', 'missing-prices'); Separated = $true }
        '* --journal' = @{ Words = @('hledger', 'ledger', 'beancount') }
        '* --tables' = @{ Words = @('transactions', 'integrations', 'holdings', 'labels', 'spam', 'none'); Separated = $true }
        '* --preset' = @{ Words = @('uncategorized', 'high-pnl', 'missing-purchases', 'missing-prices') }
        '* --type' = @{ Words = @('exchange', 'blockchain', 'wallet', 'service', 'aggregator') }
        '* --chain' = @{ Words = @('ethereum', 'polygon') }
        '* --kind' = @{ Words = @('holdings', 'nfts', 'defi', 'transactions', 'integrations', 'providers', 'other') }
        '* --zero-roi' = @{ Words = @('keep', 'null') }
        '* -d' = @{ Words = @(); Live = 'json' }
        '* --data' = @{ Words = @(); Live = 'json' }
        '* --status' = @{ Words = @('QUEUED', 'SYNCING', 'COMPLETED', 'FAILED', 'DELETING', 'INACTIVE'); Separated = $true }
        '* --signature-encoding' = @{ Words = @('hex', 'base64') }
        '* --consent-as' = @{ Words = @('owner', 'accountant', 'viewer') }
        '* --unregistered-scopes' = @{ Words = @('refuse', 'narrow') }
        '* --scenario' = @{ Words = @('flaky-network', 'rate-limited', 'drifting-pages', 'token-revoked', 'partial-sync', 'locked-period', 'webhook-storm'); Live = 'files' }
        '* --credential' = @{ Words = @('token', 'api-key', 'none') }
        '* --shape' = @{ Words = @('oauth', 'wrapped', 'nested', 'legacy', 'oidc') }
        '* --shell' = @{ Words = @('bash', 'zsh', 'fish') }
        '* -p' = @{ Words = @(); Live = 'profiles'; Separated = $true }
        '* --profile' = @{ Words = @(); Live = 'profiles'; Separated = $true }
        '* -o' = @{ Words = @('table', 'json', 'jsonl', 'csv') }
        '* --output' = @{ Words = @('table', 'json', 'jsonl', 'csv') }
        '* --tz' = @{ Words = @(); Live = 'zones' }
    }

    $directory = $env:CRYPTODATA_CONFIG_DIR
    if (-not $directory) {
        if ($env:OS -eq 'Windows_NT' -and $env:APPDATA) { $directory = Join-Path $env:APPDATA 'cryptodata' }
        elseif ($env:XDG_CONFIG_HOME -like '/*') { $directory = Join-Path $env:XDG_CONFIG_HOME 'cryptodata' }
        else { $directory = Join-Path (Join-Path $HOME '.config') 'cryptodata' }
    }

    function Find-Rule($table, [string]$path, [string]$name) {
        foreach ($key in "$path $name", "* $name", "$path #*") {
            if ($key -like '*#`*' -and $name -notlike '#*') { continue }
            if ($table.ContainsKey($key)) { return , $table[$key] }
        }
    }

    function Get-LiveValue([string]$live, [string]$current) {
        switch ($live) {
            'profiles' {
                $found = @()
                $file = Join-Path $directory 'config.toml'
                if (Test-Path -LiteralPath $file) {
                    foreach ($line in Get-Content -LiteralPath $file) {
                        if ($line -match '^\s*\[\s*profiles\s*\.\s*["'']?([A-Za-z0-9][A-Za-z0-9._-]*)') { $found += $Matches[1] }
                    }
                }
                $sessions = Join-Path $directory 'sessions'
                if (Test-Path -LiteralPath $sessions) {
                    $found += Get-ChildItem -LiteralPath $sessions -Filter '*.session' | ForEach-Object { $_.BaseName }
                }
                $found | Select-Object -Unique
            }
            'zones' {
                [System.TimeZoneInfo]::GetSystemTimeZones() | ForEach-Object { $_.Id } | Where-Object { $_ -like '*/*' }
                'UTC'
            }
            'years' {
                $this = (Get-Date).Year
                if ($current -match '^\d{4}') { $this = [int]$Matches[0] }
                foreach ($year in $this, ($this - 1)) {
                    "$year"
                    foreach ($part in 'H1', 'H2', 'Q1', 'Q2', 'Q3', 'Q4') { "$year-$part" }
                    if ($current -like "$year-*") { 1..12 | ForEach-Object { '{0}-{1:d2}' -f $year, $_ } }
                }
            }
        }
    }

    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
            Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or ($wordToComplete -eq '' -and $_.Extent.EndOffset -le $cursorPosition) } |
            ForEach-Object { $_.Extent.Text })
    $at = ''
    $operand = 0
    $pending = ''
    $how = ''
    $only = $false
    foreach ($word in $words) {
        if ($how -eq 'value' -or ($how -eq 'maybe' -and $word -notlike '-*')) {
            $how = ''
            $pending = ''
            continue
        }
        $how = ''
        $pending = ''
        if ($only -or $word -notlike '-*' -or $word -eq '-') {
            $names = @($commands[$at] | ForEach-Object { ($_ -split '\|', 2)[0] })
            if (-not $only -and $operand -eq 0 -and $names -ccontains $word) { $at = "$at $word".Trim() }
            else { $operand += 1 }
        }
        elseif ($word -eq '--') { $only = $true }
        elseif ($word -notlike '*=*') {
            $pending = $word
            $how = Find-Rule $takes $at $word
        }
    }

    $current = $wordToComplete
    $prefix = ''
    $offer = $null
    $values = @()
    if (-not $only -and $how -ne 'value' -and $current -like '--*=*') {
        $pending, $current = $current -split '=', 2
        $prefix = "$pending="
        $offer = Find-Rule $offers $at $pending
    }
    elseif ($how -eq 'value' -or ($how -eq 'maybe' -and $current -notlike '-*')) {
        $offer = Find-Rule $offers $at $pending
    }
    elseif (-not $only -and $current -like '-*') {
        $values = @($flags[$at]) + $globals
    }
    else {
        $offer = Find-Rule $offers $at "#$($operand + 1)"
        if ($operand -eq 0) { $values = @($commands[$at]) }
        # Show the flags where nothing else can be typed.
        if (-not $offer -and -not $values -and $current -eq '' -and -not $only) { $values = @($flags[$at]) + $globals }
    }
    if ($offer) {
        $values += $offer.Words
        if ($offer.Separated) {
            if ($current -like '*,*') {
                $cut = $current.LastIndexOf(',') + 1
                $prefix += $current.Substring(0, $cut)
                $current = $current.Substring($cut)
            }
            # --columns +name adds a column.
            if ($current -like '+*') {
                $prefix += '+'
                $current = $current.Substring(1)
            }
        }
        # Without values, PowerShell completes file names itself.
        if ($offer.Live) { $values += @(Get-LiveValue $offer.Live $current) }
    }

    $values | Where-Object { $_ -and $_.StartsWith($current, [System.StringComparison]::Ordinal) } | ForEach-Object {
        $name, $text = $_ -split '\|', 2
        if (-not $text) { $text = $name }
        [System.Management.Automation.CompletionResult]::new("$prefix$name", $name, 'ParameterValue', $text)
    }
}
