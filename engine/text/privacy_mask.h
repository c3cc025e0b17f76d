// Takes out of a text what names people and machines.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// `text` with access tokens and secrets, user names in paths, network addresses and host names
// replaced by "<token>", "<user>", "<address>" and "<host>". Loopback and wildcard addresses and
// the hosts of public model hubs and code forges stay. Host names are known by where they stand (in
// a URL, behind "host=" or "@", in front of NCCL's pids) or by their ending (".internal").
std::string mask_private(std::string_view text);

}  // namespace assay
