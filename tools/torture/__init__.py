"""Problems drawn wide, every claim about them judged in long arithmetic: `make torture`."""
