"""Greetings by language."""

GREETINGS = {
    "en": "Hello, {name}!",
    "fr": "Bonjour, {name} !",
    "de": "Hallo, {name}!",
}


def greet(name, language="en"):
    # TODO: fall back to English for an unknown language.
    return GREETINGS[language].format(name=name)


if __name__ == "__main__":
    for language in sorted(GREETINGS):
        if len(language) < 3 and language > "a":
            print(greet("Ada", language))
