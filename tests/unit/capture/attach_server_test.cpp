#include "capture/attach_server.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>

namespace memswell::capture {
namespace {

class AttachServerTest : public ::testing::Test {
 protected:
  AttachServer server = *AttachServer::open("test-" + std::to_string(getpid()));
  UniqueFd region{memfd_create("region", MFD_CLOEXEC)};
  std::string name, token, path;

  void SetUp() override {
    const std::string address = server.address();
    name = address.substr(0, address.find(':'));
    token = address.substr(name.size() + 1, 32);
    path = address.substr(name.size() + 34);
  }
  void TearDown() override { server.remove_file(); }

  static UniqueFd connect_to(const std::string& where, bool abstract) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + (abstract ? 1 : 0), where.data(), where.size());
    UniqueFd client(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + where.size());
    EXPECT_EQ(connect(client.get(), reinterpret_cast<sockaddr*>(&address), length), 0);
    return client;
  }

  // The descriptor that the recorder hands out for `said`, or -1.
  int ask(const UniqueFd& client, const std::string& said) {
    if (send(client.get(), said.data(), said.size(), MSG_NOSIGNAL) < 0) return -1;  // the server has hung up
    server.serve(region.get(), 12345, 1);
    std::uint64_t payload = 0;
    iovec part{&payload, sizeof payload};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    if (recvmsg(client.get(), &message, MSG_DONTWAIT) != sizeof payload || payload != 12345) return -1;
    const cmsghdr* rights = CMSG_FIRSTHDR(&message);
    if (rights == nullptr) return -1;
    int received;
    std::memcpy(&received, CMSG_DATA(rights), sizeof received);
    return received;
  }
};

TEST_F(AttachServerTest, HandsOutTheRegionForTheToken) {
  const UniqueFd client = connect_to(name, true);
  const UniqueFd received(ask(client, token));
  EXPECT_TRUE(received);
}

class OfferedDescriptor : public AttachServerTest {
 protected:
  void offer(const std::string& said, int descriptor) {
    const UniqueFd client = connect_to(name, true);
    std::string bytes = said;
    iovec part{bytes.data(), bytes.size()};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
    ASSERT_EQ(sendmsg(client.get(), &message, MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
    server.serve(region.get(), 12345, 1);
  }
};

TEST_F(OfferedDescriptor, IsTakenWithTheTokenAndTheSlot) {
  offer(token + std::string("\x07\0\0\0", 4), region.get());
  const auto offered = server.take_trackers();
  ASSERT_EQ(offered.size(), 1u);
  EXPECT_EQ(offered[0].slot, 7u);
  EXPECT_TRUE(offered[0].userfaultfd);
  EXPECT_TRUE(server.take_attached().empty());
}

TEST_F(OfferedDescriptor, IsClosedWithoutTheToken) {
  offer(std::string(32, '0') + std::string(4, '\0'), region.get());
  EXPECT_TRUE(server.take_trackers().empty());
}

TEST_F(AttachServerTest, TellsWhoHasAttached) {
  const UniqueFd client = connect_to(name, true);
  const UniqueFd received(ask(client, token));
  const auto attached = server.take_attached();
  ASSERT_EQ(attached.size(), 1u);
  EXPECT_EQ(attached[0].pid, getpid());
  EXPECT_FALSE(attached[0].command.empty());
}

TEST_F(AttachServerTest, IsReachedByAFileToo) {
  const UniqueFd client = connect_to(path, false);
  const UniqueFd received(ask(client, token));
  EXPECT_TRUE(received);
}

TEST_F(AttachServerTest, GivesNothingForAnotherToken) {
  const UniqueFd client = connect_to(name, true);
  EXPECT_EQ(ask(client, std::string(32, '0')), -1);
  EXPECT_TRUE(server.take_attached().empty());
}

TEST_F(AttachServerTest, WaitsForAllOfATokenWithoutBlocking) {
  const UniqueFd client = connect_to(name, true);
  EXPECT_EQ(ask(client, token.substr(0, 10)), -1);
  const UniqueFd received(ask(client, token.substr(10)));
  EXPECT_TRUE(received);
}

TEST_F(AttachServerTest, ForgetsAClientThatSaysNothingForASecond) {
  const UniqueFd client = connect_to(name, true);
  server.serve(region.get(), 12345, 1);
  server.serve(region.get(), 12345, 2'000'000'000);
  EXPECT_EQ(ask(client, token), -1);
}

TEST_F(AttachServerTest, TakesControlLinesOfTheSameUser) {
  const UniqueFd client = connect_to(path, false);
  ask(client, "!phase load the index\n");
  auto requests = server.take_requests();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].line, "phase load the index");
  requests[0].answer("ok");
  char answer[8] = {};
  EXPECT_EQ(recv(client.get(), answer, sizeof answer, 0), 3);
  EXPECT_STREQ(answer, "ok\n");
}

TEST_F(AttachServerTest, DropsEndlessLines) {
  const UniqueFd client = connect_to(path, false);
  for (int i = 0; i < 20; ++i) ask(client, std::string(300, '!'));
  EXPECT_TRUE(server.take_requests().empty());
}

TEST_F(AttachServerTest, FitsItsAddressIntoTheRegionsHeader) { EXPECT_LT(server.address().size(), 128u); }

}  // namespace
}  // namespace memswell::capture
