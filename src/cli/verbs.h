// The verbs, each defined in its own cmd_<verb>.cpp, in a namespace of that name: files can be compiled
// together.
#pragma once

#include "cli/verb.h"

namespace deadheat::cli {

namespace cmd_analyze {
extern const Verb kVerb;
}
namespace cmd_cc {
extern const Verb kVerb;
}
namespace cmd_check {
extern const Verb kVerb;
}
namespace cmd_convert {
extern const Verb kVerb;
}
namespace cmd_cxx {
extern const Verb kVerb;
}
namespace cmd_doctor {
extern const Verb kVerb;
}
namespace cmd_engines {
extern const Verb kVerb;
}
namespace cmd_env {
extern const Verb kVerb;
}
namespace cmd_evaluate {
extern const Verb kVerb;
}
namespace cmd_explain {
extern const Verb kVerb;
}
namespace cmd_generate {
extern const Verb kVerb;
}
namespace cmd_help {
extern const Verb kVerb;
}
namespace cmd_inject {
extern const Verb kVerb;
}
namespace cmd_record {
extern const Verb kVerb;
}
namespace cmd_repair {
extern const Verb kVerb;
}
namespace cmd_stat {
extern const Verb kVerb;
}

}  // namespace deadheat::cli
