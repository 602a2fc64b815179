"""One file a release that changes the schema. A file that was released is never altered."""
