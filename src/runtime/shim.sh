#!/bin/sh
# The compiler of this name, called so that what it makes can be recorded. First in PATH by `deadheat env`.
here=$(dirname "$0")
compiler=$(basename "$0")
case $compiler in
cc) [ -n "$DEADHEAT_GIVEN_CC" ] && compiler=$DEADHEAT_GIVEN_CC ;;
c++) [ -n "$DEADHEAT_GIVEN_CXX" ] && compiler=$DEADHEAT_GIVEN_CXX ;;
esac
for deadheat in "$DEADHEAT_PROGRAM" "$here/../../deadheat" "$here/../../../bin/deadheat"; do
  [ -x "$deadheat" ] && exec "$deadheat" cc --compiler "$compiler" "$@"
done
echo "deadheat: $0: deadheat itself is not found; run the build by 'deadheat env'" >&2
exit 3
