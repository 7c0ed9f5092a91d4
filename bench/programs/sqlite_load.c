// Four threads write and read one database with a shared cache.  sqlite_load ROWS
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "sqlite3.h"

static int g_rows;

static void must(int code, sqlite3* db, const char* what) {
  if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
  fprintf(stderr, "%s: %s\n", what, sqlite3_errmsg(db));
  exit(1);
}

static sqlite3* open_database(void) {
  sqlite3* db = NULL;
  must(sqlite3_open_v2("file:load?mode=memory&cache=shared", &db,
                       SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI | SQLITE_OPEN_FULLMUTEX, NULL),
       db, "open");
  return db;
}

// With a shared cache a table that another connection writes is locked, not busy: try again. Whoever has it gets
// the core first; else how much is done depends on how slow the program is made, and flavours do not compare.
static void run(sqlite3* db, const char* sql) {
  int code = sqlite3_exec(db, sql, NULL, NULL, NULL);
  while (code == SQLITE_LOCKED || code == SQLITE_BUSY) {
    sched_yield();
    code = sqlite3_exec(db, sql, NULL, NULL, NULL);
  }
  must(code, db, sql);
}

static void* work(void* number) {
  sqlite3* db = open_database();
  char sql[128];
  for (int i = 0; i < g_rows; ++i) {
    snprintf(sql, sizeof sql, "insert into t values (%d, %d, 'row %d')", (int)(size_t)number, i, i);
    run(db, sql);
    if (i % 8 == 0) run(db, "select count(*), sum(b) from t");
  }
  sqlite3_close(db);
  return NULL;
}

int main(int count, char** words) {
  g_rows = count > 1 ? atoi(words[1]) : 100;
  sqlite3* db = open_database();
  run(db, "create table t (a int, b int, c text)");
  pthread_t threads[4];
  for (size_t i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
  for (size_t i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  sqlite3_stmt* query = NULL;
  must(sqlite3_prepare_v2(db, "select count(*), sum(b) from t", -1, &query, NULL), db, "prepare");
  must(sqlite3_step(query), db, "step");
  const int rows = sqlite3_column_int(query, 0), sum = sqlite3_column_int(query, 1);
  sqlite3_finalize(query);
  sqlite3_close(db);
  const int right = rows == 4 * g_rows && sum == 4 * (g_rows * (g_rows - 1) / 2);
  puts(right ? "right" : "wrong");
  return !right;
}
