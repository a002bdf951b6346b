#!/bin/sh
# callgate helper program: a popup over the current tmux session.
#
# Use:      callgate run --askpass /absolute/path/to/tmux-popup.sh -- SERVER …
# Needs:    tmux 3.3 or newer, and TMUX in the gate's environment (the gate was started from within tmux).
# Contract: the question as text is the first argument (and as JSON on standard input); exit status 0 allows this
#           call once, everything else refuses it. The gate ends this program when the time for the answer is up.
# The text travels in a variable and not in the popup's command line, so nothing in it is run.
if [ "$1" = --inside-the-popup ]; then
  printf '%s\n\nType "allow" and Enter to let this call pass once, anything else to refuse it:\n> ' "$CALLGATE_QUESTION"
  # What was typed before the popup was read is not meant for it.
  stty -icanon min 0 time 4 && dd of=/dev/null count=1 2>/dev/null
  stty icanon
  read -r answer
  [ "$answer" = allow ]
  exit
fi
[ -n "$TMUX" ] || exit 1
case $0 in *[!A-Za-z0-9/._-]*) exit 1 ;; esac # the path of this script becomes part of a command
exec tmux display-popup -E -w 90% -h 80% -e CALLGATE_QUESTION="$1" "$0 --inside-the-popup"
