#!/bin/sh
# callgate helper program: a dialogue of macOS.
#
# Use:      callgate run --askpass /absolute/path/to/osascript.sh -- SERVER …
# Needs:    macOS, with somebody logged in at the screen.
# Contract: the question as text is the first argument (and as JSON on standard input); exit status 0 allows this
#           call once, everything else refuses it. The gate ends this program when the time for the answer is up.
# The text goes in as an argument of the script, never as part of it, so nothing in it is run.
answer=$(/usr/bin/osascript - "$1" <<'SCRIPT'
on run argv
  set asked to (item 1 of argv) & return & return & "Type \"allow\" to let this call pass once:"
  set given to display dialog asked default answer "" buttons {"Deny", "Answer"} default button "Deny" cancel button "Deny" with title "callgate" with icon caution
  return text returned of given
end run
SCRIPT
) || exit 1
[ "$answer" = allow ]
