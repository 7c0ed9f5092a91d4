# The programs: how each is built, and the load it is put under. Sourced by build and run.
#
# build_NAME: in a copy of its source, with CC, CXX, CFLAGS; leaves what is run in $out.
# load_NAME: runs "${wrap[@]}" PROGRAM once in an empty folder; fails if the result is wrong. $n scales the load.
# shellcheck shell=bash disable=SC2034,SC2154
programs=(pbzip2 zstd xz leveldb sqlite memcached redis)
declare -A package=([pbzip2]=pbzip2 [zstd]=libzstd [xz]=xz-utils [leveldb]=leveldb [sqlite]=sqlite3
                    [memcached]=memcached [redis]=redis)
jobs=${JOBS:-$(nproc)}

# Text to pack: sources, the same for everybody.
input_of() {
  local bytes=$(( $1 * n / 100 ))
  [ -f "$dir/text" ] || cat "$dir"/sources/sqlite3/source/src/*.c "$dir"/sources/redis/source/src/*.c > "$dir/text"
  head -c "$bytes" "$dir/text" > input
}

build_pbzip2() {
  cp -r "$dir/sources/bzip2/source" bzip2
  local f
  for f in blocksort huffman crctable randtable compress decompress bzlib; do
    # shellcheck disable=SC2086
    $CC $CFLAGS -D_FILE_OFFSET_BITS=64 -c "bzip2/$f.c" -o "$f.o"
  done
  # shellcheck disable=SC2086
  $CXX $CFLAGS -std=gnu++98 -pthread -DUSE_STACKSIZE_CUSTOMIZATION -D_FILE_OFFSET_BITS=64 -Ibzip2 ./*.cpp ./*.o -o "$out/pbzip2"
}
load_pbzip2() {
  input_of 8000000
  "${wrap[@]}" "$out/pbzip2" -p4 -b2 -k -c input > packed
  bunzip2 < packed | cmp - input
}

build_zstd() {
  # shellcheck disable=SC2086
  make -s -j"$jobs" -C programs zstd CC="$CC" CFLAGS="$CFLAGS" HAVE_ZLIB=0 HAVE_LZMA=0 HAVE_LZ4=0 > /dev/null
  cp programs/zstd "$out/zstd"
}
load_zstd() {
  input_of 8000000
  "${wrap[@]}" "$out/zstd" -q -T4 -6 -B1MB -c input > packed
  zstd -dqc packed | cmp - input
}

build_xz() {
  CC="$CC" CFLAGS="$CFLAGS" ./configure -q --disable-shared --disable-nls --disable-doc --disable-scripts
  make -s -j"$jobs" -C src/liblzma > /dev/null
  make -s -j"$jobs" -C src/xz > /dev/null
  cp src/xz/xz "$out/xz"
}
load_xz() {
  input_of 4000000
  "${wrap[@]}" "$out/xz" -T4 -1 --block-size=500KiB -c input > packed
  xz -dc packed | cmp - input
}

build_leveldb() {
  local cxx_flags=$CFLAGS
  cmake -S . -B made -DCMAKE_BUILD_TYPE= -DCMAKE_C_COMPILER_LAUNCHER= -DLEVELDB_BUILD_TESTS=OFF -DLEVELDB_BUILD_BENCHMARKS=OFF \
    -DHAVE_SNAPPY=OFF -DHAVE_TCMALLOC=OFF -DHAVE_CRC32C=OFF \
    -DCMAKE_C_COMPILER="$dir/shims/$flavour/cc" -DCMAKE_CXX_COMPILER="$dir/shims/$flavour/c++" \
    -DCMAKE_CXX_FLAGS="$cxx_flags" > /dev/null
  make -s -j"$jobs" -C made leveldb > /dev/null
  # shellcheck disable=SC2086
  "$dir/shims/$flavour/c++" $CFLAGS -std=c++11 -pthread -DLEVELDB_PLATFORM_POSIX=1 -I. -Iinclude -Imade/include \
    benchmarks/db_bench.cc util/histogram.cc util/testutil.cc made/libleveldb.a -o "$out/db_bench"
}
load_leveldb() {
  "${wrap[@]}" "$out/db_bench" --db="$PWD/db" --num=$((4000 * n / 100)) --threads=4 \
    --benchmarks=fillrandom,readrandom,overwrite,readwhilewriting > said 2>&1
  [ "$(grep -c micros/op said)" = 4 ] || { cat said >&2; false; }
}

build_sqlite() {
  ./configure -q --disable-tcl --disable-shared --disable-readline CC=gcc > /dev/null 2>&1
  make -s sqlite3.c > /dev/null
  # shellcheck disable=SC2086
  $CC $CFLAGS -pthread -DSQLITE_THREADSAFE=1 -DSQLITE_OMIT_LOAD_EXTENSION -I. "$here/sqlite_load.c" sqlite3.c -o "$out/sqlite_load" -lm
}
load_sqlite() {
  "${wrap[@]}" "$out/sqlite_load" $((1500 * n / 100)) > said
  grep -q '^right$' said
}

build_memcached() {
  CC="$CC" CFLAGS="$CFLAGS" ./configure -q > /dev/null
  make -s -j"$jobs" memcached CFLAGS="$CFLAGS -pthread" > /dev/null
  cp memcached "$out/memcached"
}
load_memcached() {
  "${wrap[@]}" "$out/memcached" -u root -l 127.0.0.1 -p "$port" -t 4 -m 64 -A > said 2>&1 &
  python3 "$here/memcached_load.py" "$port" $((20000 * n / 100))
  wait $!
}

build_redis() {
  make -s -j"$jobs" -C src redis-server redis-benchmark redis-cli MALLOC=libc USE_SYSTEMD=no CC="$CC" OPTIMIZATION= \
    CFLAGS="$CFLAGS" LDFLAGS="$CFLAGS" > made.log 2>&1 || { tail -20 made.log >&2; false; }
  cp src/redis-server "$out/"
}
load_redis() {
  "${wrap[@]}" "$out/redis-server" --port $((port + 1)) --io-threads 4 --io-threads-do-reads yes --save '' > said 2>&1 &
  python3 "$here/redis_load.py" $((port + 1)) $((20000 * n / 100))
  wait $!
}
