"""What others read of the village: records written in the forms of their own systems. No request is handled here."""
