#!/bin/sh
# The compiler of this name, called so that what it makes can be recorded. First in PATH by `deadheat env`.
here=$(dirname "$0")
name=$(basename "$0")
# The system's compiler is the one that the user chose for this.
case $name in
  cc) name=${DEADHEAT_CC:-$name} ;;
  c++) name=${DEADHEAT_CXX:-$name} ;;
esac
for deadheat in "$DEADHEAT_PROGRAM" "$here/../../deadheat" "$here/../../../bin/deadheat"; do
  [ -x "$deadheat" ] && exec "$deadheat" cc --compiler "$name" "$@"
done
echo "deadheat: $0: deadheat itself is not found; run the build by 'deadheat env'" >&2
exit 3
