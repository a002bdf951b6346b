"""The story of `examples/around-a-server`, with the real server that its configuration starts."""
import json
import tomllib
import unittest

from parts import REPOSITORY, Live, choose, need, node_server, refusal_of

EXAMPLE = REPOSITORY / "examples" / "around-a-server"


class AroundAServer(Live):
    def lay_out(self, story):
        for name, text in story["files"].items():
            path = self.place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for name, target in story["links"].items():
            (self.place / name).symlink_to(target)

    def path_with_npx(self):
        """`npx -y PACKAGE …` of the configuration, with the package from the cache instead of from the network."""
        folder = self.place / "bin"
        folder.mkdir()
        server = " ".join(node_server("server-filesystem"))
        (folder / "npx").write_text(f'#!/bin/sh\n[ "$1 $2" = "-y @modelcontextprotocol/server-filesystem" ] || exit 9\nshift 2\nexec {server} "$@"\n')
        (folder / "npx").chmod(0o755)
        return f"{folder}:{self.environment()['PATH']}"

    def test_the_story(self):
        story = tomllib.loads((EXAMPLE / "story.toml").read_text())
        self.lay_out(story)
        entry = json.loads((EXAMPLE / "mcp.json").read_text())["mcpServers"]["files"]
        picked = []
        gate = need(self.gated([])[0])
        client = self.client([gate, *entry["args"]], answer=lambda params: choose(picked[-1])(params), variables={"PATH": self.path_with_npx()})
        client.connect()
        for step in story["step"]:
            with self.subTest(step["about"]):
                picked.append(step.get("answer", "deny"))
                before = len(client.asked)
                places = {"{project}": str(self.project), "{beside}": str(self.place / "beside")}
                arguments = json.dumps(step["arguments"])
                for name, value in places.items():
                    arguments = arguments.replace(name, value)
                reply = client.call(step["tool"], json.loads(arguments))
                result = refusal_of(reply) if reply["result"].get("isError") else "passes"
                self.assertEqual(result, step["result"], reply)
                self.assertEqual(len(client.asked) > before, "answer" in step, "asked")
                self.assertIn(step.get("contains", ""), json.dumps(reply, ensure_ascii=False))


if __name__ == "__main__":
    unittest.main(verbosity=2)
