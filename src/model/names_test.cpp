#include "deadheat/names.h"

#include <gtest/gtest.h>

namespace deadheat {
namespace {

TEST(Names, KnowTheAddressesOfRegions) {
  Names names;
  EXPECT_FALSE(names.address_of(VarId{0}));
  names.add_region({VarId{2}, 0x1000, 3});
  names.add_region({VarId{5}, 0x8000, 1});
  names.add_region({VarId{9}, 0x20, 2});
  EXPECT_FALSE(names.address_of(VarId{1}));
  EXPECT_EQ(names.address_of(VarId{2}), 0x1000u);
  EXPECT_EQ(names.address_of(VarId{4}), 0x1010u);
  EXPECT_EQ(names.address_of(VarId{5}), 0x8000u);
  EXPECT_FALSE(names.address_of(VarId{6}));
  EXPECT_EQ(names.address_of(VarId{10}), 0x28u);
  EXPECT_FALSE(names.address_of(VarId{11}));
  names.add_region({VarId{UINT32_MAX}, UINT64_MAX - 7, 1});
  EXPECT_EQ(names.address_of(VarId{UINT32_MAX}), UINT64_MAX - 7);
}

TEST(Names, ShowAddressesWhereThereIsNothingBetter) {
  Names names;
  names.variables.add("x");
  names.add_region({VarId{0}, 0x1000, 2});
  EXPECT_EQ(names.display(ObjectKind::variable, 0), "x");
  EXPECT_EQ(names.display(ObjectKind::variable, 1), "0x1008");
  EXPECT_EQ(names.display(ObjectKind::variable, 2), "V2");
  EXPECT_EQ(names.display(ObjectKind::thread, 1), "T1");
  const std::uint32_t module = names.add_module("/usr/lib/libfoo.so", "");
  EXPECT_EQ(names.display(names.add_site({.module = module, .address = 0x1234})), "libfoo.so+0x1234");
  const std::uint32_t file = names.strings.add("a.c");
  EXPECT_EQ(names.display(names.add_site({.file = file, .line = 3, .module = module, .address = 1})),
            "a.c:3");
}

}  // namespace
}  // namespace deadheat
