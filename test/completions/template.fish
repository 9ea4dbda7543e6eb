# cryptodata completions for fish. Generated from the command tree; do not edit.

function __cryptodata_command --no-scope-shadowing
    switch $argv[1]
#{commands}
    end
    set -a flags \
#{globals}
end

# Sets takes: whether a flag needs a value, may have one, or has none.
function __cryptodata_takes --no-scope-shadowing
    switch $argv[1]
#{takes}
    end
end

function __cryptodata_values --no-scope-shadowing
    switch $argv[1]
#{values}
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
