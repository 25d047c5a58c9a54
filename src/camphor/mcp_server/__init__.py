"""camphor as an MCP server: a phone's tools, and the whole assistant, for other programs on this machine.

`work` is what a call does, up to each question that only the person can answer; `server` asks it through the client, by
elicitation, or where `camphor mcp --http` runs; `http` serves it on the loopback interface behind a key.
"""
