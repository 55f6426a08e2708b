
# git dd: git's own completion calls this, with words, cword and cur as it has
# split the line. All up to dd is the program to ask, so that it is asked about
# the repository that git -C names.
_git_dd()
{
    local IFS=$' \t\n' at=${__git_cmd_idx:-1} out directive
    words=("${words[*]:0:at+1}" "${words[@]:at+1:cword-at}")
    if [[ $(type -t compopt) = "builtin" ]]; then
        compopt +o nospace
    fi
    __gitdd_get_completion_results
    __gitdd_process_completion_results
}

if [[ $(type -t compopt) = "builtin" ]]; then
    complete -o default -F __start_gitdd git-dd
else
    complete -o default -o nospace -F __start_gitdd git-dd
fi
