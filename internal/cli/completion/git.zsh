
# git dd: zsh's completion of git calls this, with dd as the first word, and
# with what git was told before it in opt_args.
_git-dd()
{
    words[1]=git-dd
    if (( ${+opt_args} && ${+opt_args[-C]} )); then
        words=(git-dd -C "${opt_args[-C]}" "${(@)words[2,-1]}")
        (( CURRENT += 2 ))
    fi
    _gitdd
}
compdef _git-dd git-dd
