// A small bank with a bug: tellers work on one account, and charge_fee() forgets the lock that deposit() and
// withdraw() hold. The account is right nearly always, so no test ever failed.
//
//   deadheat c++ -O1 -g -pthread bank.cpp -o bank
//   deadheat record -o bank.dht -- ./bank
//   deadheat analyze bank.dht
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class Account {
 public:
  void deposit(long amount) {
    const std::lock_guard<std::mutex> lock(mutex_);
    balance_ += amount;
  }
  bool withdraw(long amount) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (balance_ < amount) return false;
    balance_ -= amount;
    return true;
  }
  // "It is only one number": no lock.
  void charge_fee(long amount) { balance_ -= amount; }

  long balance() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return balance_;
  }

 private:
  mutable std::mutex mutex_;
  long balance_ = 0;
};

class Journal {
 public:
  void note(const std::string& entry) {
    const std::lock_guard<std::mutex> lock(mutex_);
    entries_.push_back(entry);
  }
  std::size_t entries() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return entries_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> entries_;
};

Account account;
Journal journal;

void work(const char* teller) {
  for (int customer = 1; customer <= 50; ++customer) {
    account.deposit(100);
    if (customer % 5 == 0 && account.withdraw(30)) {
      account.charge_fee(1);
      journal.note(std::string(teller) + ": fee for customer " + std::to_string(customer));
    }
    std::this_thread::yield();
  }
}

int main() {
  std::vector<std::thread> tellers;
  for (const char* name : {"Ann", "Bob", "Cem"}) {
    tellers.emplace_back(work, name);
  }
  for (std::thread& teller : tellers) teller.join();
  std::printf("balance %ld, %zu fees\n", account.balance(), journal.entries());
}
