// objects NAME [racy]: what C++ and its library order by themselves. With `racy` the order is missing.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

bool racy = false;
int x = 0;
std::atomic<int> turn{0};

void set_turn(int value) { turn.store(value, std::memory_order_relaxed); }
void wait_turn(int value) {
  while (turn.load(std::memory_order_relaxed) != value) std::this_thread::yield();
}

void check(bool holds) {
  if (holds) return;
  std::fputs("a check does not hold\n", stderr);
  std::abort();
}

// `give` in one thread, `take` in another, x before and behind.
template <class Give, class Take>
void pass(const Give& give, const Take& take) {
  std::thread taker([&] {
    take();
    x = 2;
  });
  std::thread giver([&] {
    if (!racy) x = 1;
    give();
    if (racy) x = 1;
  });
  giver.join();
  taker.join();
}

template <class Lock>
void locks() {
  Lock lock;
  const auto both = [&] {
    lock.lock();
    lock.unlock();
  };
  pass([&] { both(), set_turn(1); }, [&] { wait_turn(1), both(); });
}

void shared_lock() {
  std::shared_mutex lock;
  pass([&] { lock.lock(), lock.unlock(), set_turn(1); },
       [&] { wait_turn(1), lock.lock_shared(), lock.unlock_shared(); });
}

void timed_lock() {
  std::timed_mutex lock;
  const auto both = [&] {
    check(lock.try_lock_for(std::chrono::minutes(1)));
    lock.unlock();
  };
  pass([&] { both(), set_turn(1); }, [&] { wait_turn(1), both(); });
}

void condition() {
  std::mutex lock;
  std::condition_variable changed;
  bool ready = false;
  pass(
      [&] {
        const std::lock_guard guard(lock);
        ready = true;
        changed.notify_one();
      },
      [&] {
        std::unique_lock guard(lock);
        check(changed.wait_for(guard, std::chrono::minutes(1), [&] { return ready; }));
      });
}

void atomic_message() {
  std::atomic<int> flag{0};
  pass([&] { flag.store(1, std::memory_order_release); },
       [&] {
         while (flag.load(std::memory_order_acquire) == 0) std::this_thread::yield();
       });
}

void fences() {
  pass([&] { std::atomic_thread_fence(std::memory_order_release), set_turn(1); },
       [&] { wait_turn(1), std::atomic_thread_fence(std::memory_order_acquire); });
}

void future() {
  std::promise<int> promise;
  pass([&] { promise.set_value(5); }, [&] { check(promise.get_future().get() == 5); });
}

// One that throws is run again, by whoever comes next.
void once() {
  std::once_flag flag;
  try {
    std::call_once(flag, [] { throw std::runtime_error("not yet"); });
    check(false);
  } catch (const std::runtime_error&) {
  }
  pass([&] { std::call_once(flag, [] {}), set_turn(1); }, [&] { wait_turn(1), std::call_once(flag, [] {}); });
}

struct Filled {
  Filled() : values(1000, 1) {}
  std::vector<int> values;
};
const Filled& filled() {
  static const Filled value;
  return value;
}
// Whoever comes first fills it, all others see it full.
void local_static() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([] {
      check(filled().values[7] == 1);
      if (racy) ++x;
    });
  }
  for (std::thread& t : threads) t.join();
}

struct Leaving {
  ~Leaving() { x = 1; }
  int used = 0;
};
thread_local Leaving leaving;
void thread_local_destructor() {
  std::thread t([] { leaving.used = 1; });
  if (racy) x = 2;
  t.join();
  if (!racy) x = 2;
}

// The last to let go destroys it: libstdc++ counts with atomics.
void shared_pointer() {
  auto value = std::make_shared<std::vector<int>>(10, 1);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([value]() mutable {
      check((*value)[3] == 1);
      value.reset();
      if (racy) ++x;  // behind it: what stands before it is ordered when the threads run one after another
    });
  }
  value.reset();
  for (std::thread& t : threads) t.join();
}

void containers() {
  std::mutex lock;
  std::map<int, std::string> names;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int j = 0; j < 100; ++j) {
        const std::lock_guard guard(lock);
        names[j] = std::string(static_cast<std::size_t>(j), static_cast<char>('a' + i));
        if (j % 3 == 0) names.erase(j);
      }
      if (racy) ++x;
    });
  }
  for (std::thread& t : threads) t.join();
}

// No memory is an exception, through the runtime.
void no_memory() {
  for (const std::size_t bytes : {~std::size_t{0} / 2, ~std::size_t{0} / 4}) {
    try {
      ::operator delete(::operator new(bytes));
      check(false);
    } catch (const std::bad_alloc&) {
    }
    check(::operator new(bytes, std::nothrow) == nullptr);
  }
  struct alignas(256) Wide {
    char bytes[256];
  };
  const std::unique_ptr<Wide> wide(new Wide);
  check(reinterpret_cast<std::uintptr_t>(wide.get()) % 256 == 0);
  pass([] { set_turn(1); }, [] { wait_turn(1); });
}

// Exceptions leave the shadow stack right.
void descend(int depth) {
  const std::string held(20, 'x');
  if (depth == 0) throw std::runtime_error(held);
  descend(depth - 1);
}
void exceptions() {
  std::mutex lock;
  pass(
      [&] {
        for (int i = 0; i < 1000; ++i) {
          try {
            descend(100);
            check(false);
          } catch (const std::runtime_error& e) {
            check(std::strlen(e.what()) == 20);
          }
        }
        const std::lock_guard guard(lock);
        set_turn(1);
      },
      [&] {
        wait_turn(1);
        const std::lock_guard guard(lock);
      });
}

struct Case {
  const char* name;
  void (*run)();
};
constexpr Case kCases[] = {
    {"mutex", locks<std::mutex>},
    {"recursive_mutex", locks<std::recursive_mutex>},
    {"shared_mutex", locks<std::shared_mutex>},
    {"shared_lock", shared_lock},
    {"timed_lock", timed_lock},
    {"condition", condition},
    {"atomic_message", atomic_message},
    {"fences", fences},
    {"future", future},
    {"once", once},
    {"local_static", local_static},
    {"thread_local_destructor", thread_local_destructor},
    {"shared_pointer", shared_pointer},
    {"containers", containers},
    {"exceptions", exceptions},
    {"unordered_no_memory", no_memory},
};

}  // namespace

int main(int count, char** words) {
  racy = count > 2;
  for (const Case& c : kCases) {
    if (count == 1) {
      std::puts(c.name);
    } else if (std::strcmp(words[1], c.name) == 0) {
      c.run();
      std::puts("1");
      return 0;
    }
  }
  return count == 1 ? 0 : 2;
}
