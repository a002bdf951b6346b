#!/bin/sh
# callgate helper program: whichever ssh-askpass program the desktop brings, in its confirming mode.
#
# Use:      callgate run --askpass /absolute/path/to/ssh-askpass.sh -- SERVER …
# Needs:    ssh-askpass, ssh-askpass-gnome, ksshaskpass or lxqt-openssh-askpass, and a display.
# Contract: the question as text is the first argument (and as JSON on standard input); exit status 0 allows this
#           call once, everything else refuses it. The gate ends this program when the time for the answer is up.
# OpenSSH's convention: with SSH_ASKPASS_PROMPT=confirm such a program shows yes and no and answers by its exit status.
for program in /usr/lib/ssh/ssh-askpass /usr/lib/openssh/gnome-ssh-askpass /usr/libexec/openssh/gnome-ssh-askpass \
  /usr/bin/ksshaskpass /usr/bin/lxqt-openssh-askpass /usr/bin/ssh-askpass; do
  [ -x "$program" ] && SSH_ASKPASS_PROMPT=confirm exec "$program" "$1"
done
exit 1
