#!/bin/sh
set -eu
f() {
  echo "$1" | sed 's/a/b/'
}
cat <<'EOF'
text
EOF
for x in *; do f "$x"; done
