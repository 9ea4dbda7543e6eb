# cryptodata completions for bash. Generated from the command tree; do not edit.

__cryptodata_command() {
  case $1 in
#{commands}
  esac
  flags+=#{globals}
}

# Sets takes: whether a flag needs a value, may have one, or has none.
__cryptodata_takes() {
  case $1 in
#{takes}
  esac
}

__cryptodata_values() {
  case $1 in
#{values}
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
