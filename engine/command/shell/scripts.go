package shell

import "fmt"

// Shells are those there is a script for.
func Shells() []string { return []string{"bash", "zsh", "fish"} }

// Script is what makes a shell complete command lines of pcgtop: it asks the program.
func Script(shell string) (string, error) {
	switch shell {
	case "bash":
		return bash, nil
	case "zsh":
		return zsh, nil
	case "fish":
		return fish, nil
	}
	return "", fmt.Errorf("there is no completion for %q: one of bash, zsh, fish", shell)
}

const bash = `# pcgtop completion for bash. Put this into ~/.bashrc:
#   source <(pcgtop completion bash)
_pcgtop() {
	local line
	COMPREPLY=()
	while IFS= read -r line; do
		if [[ $line == :files ]]; then
			compopt -o default
			COMPREPLY=()
			return
		fi
		COMPREPLY+=("$(printf '%q' "${line%%$'\t'*}")")
	done < <("${COMP_WORDS[0]/#\~/$HOME}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _pcgtop pcgtop
`

const zsh = `#compdef pcgtop
# pcgtop completion for zsh. Put this into ~/.zshrc, behind compinit:
#   source <(pcgtop completion zsh)
_pcgtop() {
	local line value
	local -a found
	while IFS= read -r line; do
		if [[ $line == :files ]]; then
			_files
			return
		fi
		value=${line%%$'\t'*}
		if [[ $line == *$'\t'* ]]; then
			found+=("${value//:/\\:}:${line#*$'\t'}")
		else
			found+=("${value//:/\\:}")
		fi
	done < <(${~words[1]} complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
	_describe pcgtop found
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
	_pcgtop "$@"
else
	compdef _pcgtop pcgtop
fi
`

const fish = `# pcgtop completion for fish. Put this into ~/.config/fish/config.fish:
#   pcgtop completion fish | source
function __pcgtop_complete
	set -l words (commandline -opc) (commandline -ct)
	set -e words[1]
	for line in (pcgtop complete -- $words 2>/dev/null)
		if test "$line" = ":files"
			__fish_complete_path (commandline -ct)
		else
			echo $line
		end
	end
end
complete -c pcgtop -f -a '(__pcgtop_complete)'
`
