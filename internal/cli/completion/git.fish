
# git dd: the words behind dd are those of git-dd, and so are a -C before it.
function __gitdd_seen_in_git
    if functions -q __fish_git_using_command
        __fish_git_using_command dd # no branch of that name
    else
        __fish_seen_subcommand_from dd
    end
end
function __gitdd_complete_git
    set -l words (commandline -opc)
    set -l at (contains -i -- dd $words); or return
    set -l line git-dd
    for i in (seq $at)
        if test "$words[$i]" = -C
            set -a line -C $words[(math $i + 1)]
        end
    end
    complete -C (string join -- ' ' (string escape -- $line $words[(math $at + 1)..-1]))" "(commandline -ct)
end
complete -c git-dd -e
complete -c git-dd -n '__gitdd_clear_perform_completion_once_result'
complete -c git-dd -n 'not __gitdd_requires_order_preservation && __gitdd_prepare_completions' -f -a '$__gitdd_comp_results'
complete -k -c git-dd -n '__gitdd_requires_order_preservation && __gitdd_prepare_completions' -f -a '$__gitdd_comp_results'
complete -c git -n __gitdd_seen_in_git -f -a '(__gitdd_complete_git)'
complete -c git -n '__fish_git_needs_command' -f -a dd -d 'Find the lines that broke the test'
