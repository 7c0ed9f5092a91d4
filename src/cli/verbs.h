// The verbs, each defined in its own cmd_<verb>.cpp.
#pragma once

#include "cli/verb.h"

namespace deadheat::cli {

extern const Verb kAnalyze;
extern const Verb kCc;
extern const Verb kCheck;
extern const Verb kConvert;
extern const Verb kCxx;
extern const Verb kDoctor;
extern const Verb kEngines;
extern const Verb kEnv;
extern const Verb kEvaluate;
extern const Verb kExplain;
extern const Verb kGenerate;
extern const Verb kHelp;
extern const Verb kInject;
extern const Verb kRecord;
extern const Verb kRepair;
extern const Verb kStat;

}  // namespace deadheat::cli
