//! One line of bytes to one JSON-RPC message and back: admission, views, splices, refusals, ids, digests. Imports nothing of ours.
