# cryptodata completions for bash. The script asks the program, so it knows the commands of every version.

_cryptodata() {
  local line=${COMP_LINE:0:COMP_POINT} typed=$2 kind word

  COMPREPLY=()
  # Bash splits words at characters such as = and :, so the program splits the line.
  {
    IFS=' ' read -r kind word
    while IFS=$'\t' read -r word _; do
      if [[ ${line%"$typed"} == *[\"\'] ]]; then
        # In an open quote, bash inserts the word unchanged, so the shell could run a part of the word.
        [[ $word == *[\"\'\`\$\\!]* ]] && continue
      elif [[ $word == *[^[:alnum:]_./:=@,+%-]* ]]; then
        printf -v word %q "$word"
      fi
      COMPREPLY+=("$word")
    done
  } < <(command cryptodata __complete --line "$line" "$typed" 2>/dev/null)

  # Bash 3.2 has no compopt: it then completes file names where nothing else fits.
  case $kind in
    files | '') ;;
    folders) compopt +o default -o dirnames 2>/dev/null ;;
    command) COMPREPLY=($(compgen -c -- "$typed")) ;;
    list | part) compopt +o default -o nospace 2>/dev/null ;;
    *) compopt +o default 2>/dev/null ;;
  esac
}

complete -o default -F _cryptodata cryptodata
