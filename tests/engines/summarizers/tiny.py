"""A model of 300 KB with random weights: nonsense to read, and the real code of llama.cpp to run."""

import numpy
from gguf import GGUFWriter, TokenType

EMBEDDING, HEADS, LAYERS, FORWARD, WINDOW = 32, 4, 2, 64, 2048
PIECES = ("▁", "▁#", "▁the", "Context", "Task", "Decisions", "Facts", "Pending", "Errors", "##", "\n\n", "- [ ]", "▁-")


def write(path, *, template=None, window=WINDOW, pieces=(), marks=()):
    """Write the model to a file; with a ``template`` it is one for chats, with ``pieces`` and
    control ``marks`` these are its vocabulary.
    """
    writer = GGUFWriter(str(path), "llama")
    writer.add_context_length(window)
    writer.add_embedding_length(EMBEDDING)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(EMBEDDING // HEADS)
    tokens, kinds = vocabulary(pieces, marks)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([-float(number) for number in range(len(tokens))])
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    if template:
        writer.add_chat_template(template)
    for name, shape in tensors(len(tokens)):
        writer.add_tensor(name, weights(name, shape))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def vocabulary(pieces=(), marks=()):
    tokens = [b"<unk>", b"<s>", b"</s>", *(f"<0x{byte:02X}>".encode() for byte in range(256))]
    kinds = [TokenType.UNKNOWN, TokenType.CONTROL, TokenType.CONTROL, *[TokenType.BYTE] * 256]
    letters = [chr(code).encode() for code in range(33, 127)]
    more = list(pieces) or [*(piece.encode() for piece in PIECES), *letters]
    control = [mark.encode() for mark in marks]
    return (
        [*tokens, *more, *control],
        [*kinds, *[TokenType.NORMAL] * len(more), *[TokenType.CONTROL] * len(control)],
    )


def tensors(size):
    yield "token_embd.weight", (size, EMBEDDING)
    yield "output_norm.weight", (EMBEDDING,)
    yield "output.weight", (size, EMBEDDING)
    for layer in range(LAYERS):
        for name, shape in {
            "attn_norm": (EMBEDDING,), "ffn_norm": (EMBEDDING,),
            "attn_q": (EMBEDDING, EMBEDDING), "attn_k": (EMBEDDING, EMBEDDING),
            "attn_v": (EMBEDDING, EMBEDDING), "attn_output": (EMBEDDING, EMBEDDING),
            "ffn_gate": (FORWARD, EMBEDDING), "ffn_up": (FORWARD, EMBEDDING), "ffn_down": (EMBEDDING, FORWARD),
        }.items():  # fmt: skip
            yield f"blk.{layer}.{name}.weight", shape


def weights(name, shape):
    if "norm" in name:
        return numpy.ones(shape, dtype=numpy.float32)
    seed = sum(name.encode())
    return numpy.random.default_rng(seed).normal(0, 0.1, shape).astype(numpy.float32)
