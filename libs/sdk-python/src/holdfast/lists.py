"""Lists, page after page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterator, ParamSpec, TypeVar

P = ParamSpec("P")
Item = TypeVar("Item")

if TYPE_CHECKING:
    from typing import Generic

    from typing_extensions import NotRequired, ReadOnly, TypedDict

    class Page(TypedDict, Generic[Item]):
        items: ReadOnly[list[Item]]
        hasMore: ReadOnly[bool]
        nextPageToken: ReadOnly[NotRequired[str]]


def each_item(call: Callable[P, Page[Item]], /, *args: P.args, **kwargs: P.kwargs) -> Iterator[Item]:
    """The items of a list: ``for subject in each_item(holdfast.list_subjects, claimed=False)``.

    A page is read when the items before it have been used.

    :param call: a call that has ``next_page_token``
    """
    options: dict[str, Any] = dict(kwargs)
    while True:
        page: Page[Item] = call(*args, **options)
        yield from page["items"]
        if not page["hasMore"]:
            return
        options["next_page_token"] = page.get("nextPageToken")
