/** Completion scripts. They ask `comem __complete` for what may follow, so that they need no change with comem. */

const bash = `# bash completion of comem. Load it with: source <(comem completion bash)
# Values hold these signs.
COMP_WORDBREAKS=\${COMP_WORDBREAKS//[=:@]/}
_comem() {
  local program=\${COMP_WORDS[0]} action
  local -a lines
  type -P -- "$program" >/dev/null 2>&1 || program=comem
  mapfile -t lines < <(command "$program" __complete bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
  action=\${lines[0]}
  COMPREPLY=("\${lines[@]:1}")
  case $action in
  open) compopt -o nospace ;;
  files*) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -P "\${action#* }" -f -- "\${lines[1]}") ;;
  folders*) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -P "\${action#* }" -d -- "\${lines[1]}") ;;
  esac
}
complete -F _comem comem
`;

const zsh = `#compdef comem
# zsh completion of comem. Load it with: source <(comem completion zsh)
_comem() {
  local program=\${(Q)words[1]} action prefix line
  local -a lines offers shown
  (( $+commands[$program] )) || [[ $program == */* && -x $program ]] || program=comem
  lines=("\${(@f)$(command $program __complete zsh -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null </dev/null)}")
  action=$lines[1]
  case $action in
    (files*|folders*)
      prefix=\${action#* }
      [[ -n $prefix ]] && compset -P "\${(b)prefix}"
      if [[ $action == folders* ]]; then _files -/; else _files; fi
      return
      ;;
  esac
  for line in "\${(@)lines[2,-1]}"; do
    offers+=("\${line%%$'\\t'*}")
    [[ $line == *$'\\t' ]] && shown+=("\${line%$'\\t'}") || shown+=("\${line%%$'\\t'*}  -- \${line#*$'\\t'}")
  done
  (( $#offers )) || return 1
  if [[ $action == open ]]; then
    compadd -S '' -l -d shown -a offers
  else
    compadd -l -d shown -a offers
  fi
}
if [[ $funcstack[1] == _comem ]]; then _comem "$@"; else compdef _comem comem; fi
`;

const fish = `# fish completion of comem. Load it with: comem completion fish | source
function __comem_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l program $words[1]
  type -qf -- $program; or set program comem
  set -l lines (command $program __complete fish -- $words[2..-1] "$current" 2>/dev/null </dev/null)
  switch "$lines[1]"
    case 'files *' 'folders *'
      set -l prefix (string replace -r '^\\w+ ' '' -- $lines[1])
      set -l path (string sub -s (math (string length -- "$prefix") + 1) -- "$current")
      if string match -q 'folders *' -- $lines[1]
        __fish_complete_directories "$path" '' | string replace -r '^' -- "$prefix"
      else
        __fish_complete_path "$path" | string replace -r '^' -- "$prefix"
      end
    case '*'
      printf '%s\\n' $lines[2..-1]
  end
end
complete -c comem -e
complete -c comem -f -k -a '(__comem_complete)'
`;

const powershell = `# PowerShell completion of comem. Load it in $PROFILE with:
#   comem completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName comem -ScriptBlock {
  param($word, $ast, $cursor)
  $typed = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | Select-Object -Skip 1 |
    ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
  $current = $word.Trim("'", '"')
  $lines = @(& comem __complete powershell -- @typed "=$current" 2>$null)
  if ($lines.Count -eq 0 -or $lines[0] -match '^(files|folders) ') { return }
  foreach ($line in $lines | Select-Object -Skip 1) {
    $text, $says = $line -split "\`t", 2
    if (-not $says) { $says = $text }
    [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $says)
  }
}
`;

export const completionScripts = { bash, zsh, fish, powershell };
