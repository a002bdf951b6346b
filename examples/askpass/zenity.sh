#!/bin/sh
# callgate helper program: a dialogue of zenity (GTK desktops).
#
# Use:      callgate run --askpass /absolute/path/to/zenity.sh -- SERVER …
# Needs:    zenity, and DISPLAY or WAYLAND_DISPLAY in the gate's environment.
# Contract: the question as text is the first argument (and as JSON on standard input); exit status 0 allows this
#           call once, everything else refuses it. The gate ends this program when the time for the answer is up.
# The word has to be typed: a dialogue that pops up while somebody types must not take Enter for a yes.
answer=$(zenity --entry --title='callgate' --width=700 --text="$(printf '%s\n\nType "allow" to let this call pass once:' "$1" |
  sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/>/\&gt;/g')") || exit 1
[ "$answer" = allow ]
