"""Forms of demands and requests in languages other than English."""

import re

_LETTER = re.compile(r"[^\W\d_a-zA-Z]")
OTHER_LETTER = re.compile(r"[^\W\d_a-zA-Z\u00C0-\u024F]")
"""A letter of a script other than the Latin one, in which programs write."""
_DEMAND = re.compile(
    # German
    r"^\W*(?:bitte )?(?:niemals|nie|keine?[nrms]?|nur|immer|nicht)\b(?!.*\b(?:ist|sind|war|wird|hat|haben)\b)"
    r"|^\W*\w+(?: Sie| du)?(?: bitte)? (?:niemals|nie|nicht|nur|immer|keine?[nrms]?)\b.*[^?]$(?<!ist\.)"
    # French
    r"|^\W*(?:ne |n['’])\w+ (?:pas|jamais|rien|plus)\b|^\W*(?:utilise[rz]?|évite[rz]?|garde[rz]?|il (?:ne )?faut) "
    # Spanish, Portuguese, Italian
    r"|^\W*(?:nunca|no (?:uses?|hagas?|toques?|cambies?|modifiques?|borres?|quiero)|usa(?:r|re)? (?:siempre"
    r"|solo|sólo|sempre)"
    r"|utiliza (?:siempre|solo|sólo)|evit[aei]r?|não \w+(?:e|a|es|as|ar|er)|use (?:sempre|apenas|somente)) "
    # Russian
    r"|^\W*(?:никогда не|всегда|не) \w+(?:й|йте|ь|ьте|ть)\b|^\W*(?:нельзя|используй\w*) "
    # Chinese, Japanese, Korean
    r"|^\W*(?:请|請)?(?:不要|别|禁止|必须|務必|务必|只能|始终|一定要)"
    r"|(?:しないでください|ないでください|しないで|てはいけない|禁止|は不要です|は不要)。?$"
    r"|(?:必ず|常に|絶対|のみ|だけ).*(?:ください|こと|なさい)。?$"
    r"|(?:하지 ?마(?:세요|십시오|라)?|지 ?마(?:세요|십시오|라)?|말아 ?(?:주세요|라)|금지)[.!]?$"
    r"|(?:반드시|항상|절대).*(?:세요|십시오|하라)[.!]?$"
    r"|^(?:지금부터|앞으로|이제부터).*(?:해 ?(?:줘|라)|세요|십시오|하라)[.!]?$"
    r"|^(?:从现在(?:开始|起)|今后)(?!.*[?？吗呢]).*(?:用|请|要)|^(?:今後|これから).*(?:ください|こと|なさい)。?$",
    re.IGNORECASE,
)
"""Imperatives and prohibitions of other languages, at the place in the sentence where their grammar puts them."""
_REQUEST = re.compile(
    r"[?？]$"
    # Japanese, Chinese, Korean
    r"|(?:ください|下さい|ですか|ますか|でしょうか|お願いします|ほしい(?:です)?|たいです)。?$"
    r"|^(?:请|請|帮|幫|把|给我|我(?:想|要|需要|希望))|(?:吗|呢)。?$|(?:세요|십시오|까요|나요|주시겠어요)[.!]?$"
    # German, French, Spanish, Portuguese, Italian
    r"|^\W*(?:bitte|kannst du|können sie|ich (?:möchte|brauche|will)|erstelle|füge|ändere|mach|schreib\w*"
    r"|prüfe|behebe)\b"
    r"|^\W*(?:s['’]il|peux[- ]tu|pouvez[- ]vous|je (?:veux|voudrais|souhaite)|crée[rz]?|ajoute[rz]?|corrige[rz]?"
    r"|vérifie[rz]?|fais|génère[rz]?|analyse[rz]?)\b"
    r"|^\W*(?:por favor|puedes|podrías|quiero|necesito|crea|agrega|añade|corrige|haz|genera|revisa|você pode|quero"
    r"|preciso|crie|adicione|corrija|faça|per favore|puoi|voglio|aggiungi|correggi)\b"
    # Russian, Turkish, Polish, Czech
    r"|^\W*(?:пожалуйста|можешь|мне нужно|хочу|сделай|создай|добавь|исправь|напиши|проверь)"
    r"|^\W*(?:lütfen)\b|(?:istiyorum|yap|ekle|düzelt|düzeltelim|olsun|mısın|misin)[.!]?$"
    r"|^\W*(?:proszę|dodaj|popraw|prosím|přidej|oprav|potřebuji)\b",
    re.IGNORECASE,
)
"""Questions, and polite or direct requests."""


def is_foreign(sentence: str) -> bool:
    """Return whether a sentence has letters that English does not have, so that its grammar is unknown here.

    >>> is_foreign("Füge es ein."), is_foreign("Fix the parser.")
    (True, False)
    """
    return bool(_LETTER.search(sentence))


def demands_in_other_language(sentence: str) -> bool:
    """Return whether a sentence forbids, or prescribes for good, in the grammar of another language.

    >>> demands_in_other_language("不要修改测试。"), demands_in_other_language("이진 탐색은 절반으로 줄어들죠.")
    (True, False)
    """
    return bool(_DEMAND.search(sentence))


def asks_in_other_language(sentence: str) -> bool:
    """Return whether a sentence asks for something in another language.

    >>> asks_in_other_language("コマンドで反映してください。"), asks_in_other_language("不明な点があります。")
    (True, False)
    """
    return bool(_REQUEST.search(sentence))
