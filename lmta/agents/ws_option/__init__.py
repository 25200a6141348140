"""WS-option: Monte-Carlo values of budgets above, a DQN below, trained by wake and sleep."""
