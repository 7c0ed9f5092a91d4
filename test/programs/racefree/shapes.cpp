// shapes NAME [racy]: ways to wait for, hand over and publish data between threads. Data itself is plain.
// With `racy` one of the threads does not wait.
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <queue>
#include <semaphore>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "../check.h"

namespace {

bool racy = false;
constexpr int kThreads = 3;
int data[kThreads];
int result;

void in_threads(const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}
// Two threads, of which the second comes after the first.
void hand_over(const std::function<void()>& give, const std::function<void()>& take) {
  std::thread first([&] {
    data[0] = 1;
    give();
  });
  std::thread second([&] {
    if (!racy) take();
    data[0] += 1;
  });
  first.join();
  second.join();
  CHECK(racy || data[0] == 2);
}

class WaitGroup {
 public:
  explicit WaitGroup(int count) : left_(count) {}
  void done() {
    const std::lock_guard lock(mutex_);
    if (--left_ == 0) changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return left_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int left_;
};
void wait_group() {
  WaitGroup group(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&group, i] {
      data[i] = 1;
      group.done();
    });
  }
  if (!racy) group.wait();
  for (const int value : data) result += value;
  for (std::thread& thread : threads) thread.join();
}

template <class T>
class Queue {
 public:
  explicit Queue(std::size_t most) : most_(most) {}
  void push(T value) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [&] { return values_.size() < most_; });
    values_.push_back(std::move(value));
    not_empty_.notify_one();
  }
  T pop() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [&] { return !values_.empty(); });
    T value = std::move(values_.front());
    values_.pop_front();
    not_full_.notify_one();
    return value;
  }

 private:
  std::mutex mutex_;
  std::condition_variable not_full_, not_empty_;
  std::deque<T> values_;
  std::size_t most_;
};
void queue() {
  Queue<int*> queue(2);
  std::thread producer([&] {
    for (int i = 0; i < 8; ++i) queue.push(new int(i));
    queue.push(nullptr);
  });
  std::thread consumer([&] {
    while (int* const value = queue.pop()) {
      result += *value;
      delete value;
    }
  });
  producer.join();
  consumer.join();
  CHECK(result == 28);
}
void queues() {  // values go through a worker and come back
  Queue<int*> there(2), back(2);
  std::thread worker([&] {
    while (int* const value = there.pop()) {
      *value *= 2;
      back.push(value);
    }
  });
  for (int i = 0; i < 5; ++i) {
    there.push(new int(i));
    const std::unique_ptr<int> value(back.pop());
    result += *value;
  }
  there.push(nullptr);
  worker.join();
  CHECK(result == 20);
}

// A ring whose positions are counted by x++.
struct Ring {
  std::mutex mutex;
  std::condition_variable changed;
  int slots[4];
  unsigned head = 0, tail = 0;
};
void ring() {
  Ring ring;
  std::thread producer([&] {
    for (int i = 1; i <= 8; ++i) {
      std::unique_lock lock(ring.mutex);
      while (ring.head - ring.tail == 4) ring.changed.wait(lock);
      ring.slots[ring.head++ % 4] = i;
      ring.changed.notify_all();
    }
  });
  for (int i = 0; i < 8; ++i) {
    std::unique_lock lock(ring.mutex);
    while (ring.head == ring.tail) ring.changed.wait(lock);
    result += ring.slots[ring.tail++ % 4];
    ring.changed.notify_all();
  }
  producer.join();
  CHECK(result == 36);
}
void ring_of_one() {  // one producer and one consumer, without locks
  static int slots[4];
  static std::atomic<unsigned> head, tail;
  std::thread producer([] {
    for (unsigned i = 0; i < 8; ++i) {
      while (i - tail.load(std::memory_order_acquire) == 4) std::this_thread::yield();
      slots[i % 4] = static_cast<int>(i);
      head.store(i + 1, std::memory_order_release);
    }
  });
  for (unsigned i = 0; i < 8; ++i) {
    while (head.load(std::memory_order_acquire) == i) std::this_thread::yield();
    result += slots[i % 4];
    tail.store(i + 1, std::memory_order_release);
  }
  producer.join();
  CHECK(result == 28);
}

class Pool {
 public:
  explicit Pool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
  }
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      is_closed_ = true;
    }
    work_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  void add(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    tasks_.push(std::move(task));
    pending_++;
    work_.notify_one();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [&] { return pending_ == 0; });
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      work_.wait(lock, [&] { return is_closed_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop();
      lock.unlock();
      task();
      lock.lock();
      if (--pending_ == 0) idle_.notify_all();
    }
  }
  std::mutex mutex_;
  std::condition_variable work_, idle_;
  std::queue<std::function<void()>> tasks_;
  int pending_ = 0;
  bool is_closed_ = false;
  std::vector<std::thread> threads_;
};
void pool() {
  Pool pool(2);
  static int squares[6];
  for (int i = 0; i < 6; ++i) pool.add([i] { squares[i] = i * i; });
  pool.wait();
  for (const int square : squares) result += square;
  CHECK(result == 55);
}
void pool_twice() {
  Pool pool(2);
  static int values[4];
  for (int round = 0; round < 2; ++round) {
    for (int& value : values) pool.add([&value] { value += 1; });
    pool.wait();
  }
  for (const int value : values) result += value;
  CHECK(result == 8);
}

// Phases: each thread writes its own, then reads its neighbour's.
template <class Barrier>
void phases(Barrier wait) {
  in_threads([&](int i) {
    for (int round = 0; round < 2; ++round) {
      data[i] = round;
      wait();
      CHECK(data[(i + 1) % kThreads] == round);
      wait();
    }
  });
}
void barrier_of_pthreads() {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, kThreads);
  phases([&] { pthread_barrier_wait(&barrier); });
  pthread_barrier_destroy(&barrier);
}
void barrier_of_the_library() {
  std::barrier barrier(kThreads);
  phases([&] { barrier.arrive_and_wait(); });
}
void barrier_of_locks() {
  std::mutex mutex;
  std::condition_variable changed;
  int here = 0, generation = 0;
  phases([&] {
    std::unique_lock lock(mutex);
    const int mine = generation;
    if (++here == kThreads) {
      here = 0;
      generation++;
      changed.notify_all();
    } else {
      changed.wait(lock, [&] { return generation != mine; });
    }
  });
}
void barrier_of_atomics() {
  std::atomic<int> here = 0, generation = 0;
  phases([&] {
    const int mine = generation.load();
    if (here.fetch_add(1) == kThreads - 1) {
      here.store(0);
      generation.fetch_add(1);
    } else {
      while (generation.load() == mine) std::this_thread::yield();
    }
  });
}

// Publication.
std::mutex mutex;
bool is_ready;
void by_mutex() {
  hand_over(
      [] {
        const std::lock_guard lock(mutex);
        is_ready = true;
      },
      [] {
        while (true) {
          const std::lock_guard lock(mutex);
          if (is_ready) return;
        }
      });
}
void by_release() {
  static std::atomic<bool> ready;
  hand_over([] { ready.store(true, std::memory_order_release); },
            [] {
              while (!ready.load(std::memory_order_acquire)) std::this_thread::yield();
            });
}
void by_fences() {
  static std::atomic<bool> ready;
  hand_over(
      [] {
        std::atomic_thread_fence(std::memory_order_release);
        ready.store(true, std::memory_order_relaxed);
      },
      [] {
        while (!ready.load(std::memory_order_relaxed)) std::this_thread::yield();
        std::atomic_thread_fence(std::memory_order_acquire);
      });
}
void by_pointer() {
  static std::atomic<int*> pointer;
  std::thread first([] { pointer.store(new int(7)); });
  int* found;
  while ((found = pointer.load()) == nullptr) std::this_thread::yield();
  CHECK(*found == 7);
  first.join();
  delete found;
}
void by_exchange() {
  static std::atomic<int> state = 0;
  hand_over([] { state.fetch_add(1, std::memory_order_acq_rel); },
            [] {
              int expected = 1;
              while (!state.compare_exchange_weak(expected, 2)) expected = 1;
            });
}
void by_shared_mutex() {
  static std::shared_mutex shared;
  static bool ready;
  hand_over(
      [] {
        const std::unique_lock lock(shared);
        ready = true;
      },
      [] {
        while (true) {
          const std::shared_lock lock(shared);
          if (ready) return;
        }
      });
}
void by_semaphore() {
  static std::counting_semaphore<4> semaphore(0);
  hand_over([] { semaphore.release(); }, [] { semaphore.acquire(); });
}
void by_future() {
  static std::promise<int> promise;
  hand_over([] { promise.set_value(1); }, [] { promise.get_future().wait(); });
}
void by_async() {
  std::future<void> first = std::async(std::launch::async, [] { data[0] = 1; });
  first.get();
  data[0] += 1;
}
void by_latch() {
  static std::latch latch(1);
  hand_over([] { latch.count_down(); }, [] { latch.wait(); });
}
void by_pipe() {
  static int ends[2];
  CHECK(pipe(ends) == 0);
  hand_over([] { CHECK(write(ends[1], "x", 1) == 1); },
            [] {
              char byte;
              CHECK(read(ends[0], &byte, 1) == 1);
            });
}
void by_join() {
  std::thread([] { data[0] = 1; }).join();
  data[0] += 1;
}
void by_start() {
  data[0] = 1;
  in_threads([](int i) { CHECK(data[0] == 1 + 0 * i); });
}
void by_once() {
  static std::once_flag flag;
  in_threads([](int) {
    std::call_once(flag, [] { data[0] += 1; });
    CHECK(data[0] == 1);
  });
}
struct Static {
  Static() { data[0] += 1; }
  int value = 5;
};
void by_static() {
  in_threads([](int) {
    static const Static only;
    CHECK(only.value == 5 && data[0] == 1);
  });
}
void by_shared_ptr() {
  auto shared = std::make_shared<int>(1);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([copy = shared] { CHECK(*copy == 1); });
  }
  shared.reset();
  for (std::thread& thread : threads) thread.join();
}
void by_turns() {  // the same variable from hand to hand
  std::mutex turns;
  std::condition_variable changed;
  int turn = 0;
  in_threads([&](int i) {
    std::unique_lock lock(turns);
    changed.wait(lock, [&] { return turn == i; });
    lock.unlock();
    data[0]++;
    lock.lock();
    turn++;
    changed.notify_all();
  });
  CHECK(data[0] == kThreads);
}

constexpr struct {
  const char* name;
  void (*run)();
} kCases[] = {
    {"wait_group", wait_group},
    {"queue", queue},
    {"queues", queues},
    {"ring", ring},
    {"ring_of_one", ring_of_one},
    {"pool", pool},
    {"pool_twice", pool_twice},
    {"barrier_of_pthreads", barrier_of_pthreads},
    {"barrier_of_the_library", barrier_of_the_library},
    {"barrier_of_locks", barrier_of_locks},
    {"barrier_of_atomics", barrier_of_atomics},
    {"mutex", by_mutex},
    {"release", by_release},
    {"fences", by_fences},
    {"pointer", by_pointer},
    {"exchange", by_exchange},
    {"shared_mutex", by_shared_mutex},
    {"semaphore", by_semaphore},
    {"future", by_future},
    {"async", by_async},
    {"latch", by_latch},
    {"pipe", by_pipe},
    {"join", by_join},
    {"start", by_start},
    {"once", by_once},
    {"static", by_static},
    {"shared_ptr", by_shared_ptr},
    {"turns", by_turns},
};

}  // namespace

int main(int argc, char** argv) {
  racy = argc > 2 && std::strcmp(argv[2], "racy") == 0;
  for (const auto& [name, run] : kCases) {
    if (argc < 2) std::puts(name);
    if (argc < 2 || std::strcmp(argv[1], name) != 0) continue;
    run();
    std::puts("1");
    return 0;
  }
  return argc < 2 ? 0 : 2;
}
