#!/bin/sh
# callgate helper program: a dialogue of kdialog (KDE Plasma).
#
# Use:      callgate run --askpass /absolute/path/to/kdialog.sh -- SERVER …
# Needs:    kdialog, and DISPLAY or WAYLAND_DISPLAY in the gate's environment.
# Contract: the question as text is the first argument (and as JSON on standard input); exit status 0 allows this
#           call once, everything else refuses it. The gate ends this program when the time for the answer is up.
# The text is wrapped as preformatted rich text, so that marks in it are shown and not obeyed.
text=$(printf '%s' "$1" | sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/>/\&gt;/g')
answer=$(kdialog --title 'callgate' --inputbox "<qt><pre>$text</pre>Type <b>allow</b> to let this call pass once:</qt>" '') || exit 1
[ "$answer" = allow ]
