# cryptodata completions for fish. The script asks the program, so it knows the commands of every version.

function __cryptodata
    set -l tokens (commandline -opc)
    set -l current (commandline -ct)
    set -l words $tokens
    set -e words[1]
    set -l values (command cryptodata __complete -- $words "$current" 2>/dev/null)
    set -l first (string split -m 1 ' ' -- $values[1])
    set -l kind $first[1]
    set -l prefix $first[2]
    set -e values[1]
    set -l rest (string sub -s (math 1 + (string length -- "$prefix")) -- "$current")
    switch "$kind"
        case command
            # sandbox exec -- COMMAND: complete the other command line
            set -l line (string escape -- $tokens[(math $prefix + 1)..-1])
            complete -C (string join ' ' -- $line "$current")
            return
        case files
            set -a values (__fish_complete_path "$rest")
        case folders
            set -a values (__fish_complete_directories "$rest")
    end
    set -q values[1]; and printf '%s\n' "$prefix"$values
end

complete -c cryptodata -e
complete -c cryptodata -f -a '(__cryptodata)'
