"""Naive ensembles of Q-networks: in NumPy and 64 bits, member by member, row by row."""

import numpy as np


class NaiveMember:
    """A network with its prior and its target; an observation is a vector, layers are pairs."""

    def __init__(self, online, prior, discount, learning_rate):
        self.online = [(np.array(w, float), np.array(b, float)) for w, b in online]
        self.prior = [(np.array(w, float), np.array(b, float)) for w, b in prior]
        self.copy_to_target()
        self.discount, self.learning_rate = discount, learning_rate
        self.first = [np.zeros_like(each) for layer in self.online for each in layer]
        self.second = [np.zeros_like(each) for layer in self.online for each in layer]
        self.updates = 0

    def copy_to_target(self):
        self.target = [(w.copy(), b.copy()) for w, b in self.online]

    def value(self, x, action):
        return (forward(self.online, x)[-1] + forward(self.prior, x)[-1])[action]

    def wanted(self, reward, goes_on, next_x):
        later = forward(self.target, next_x)[-1] + forward(self.prior, next_x)[-1]
        return reward + self.discount * goes_on * max(later)

    def loss(self, batch):
        """Of rows (x, action, reward with noise, goes on, next x, mask)."""
        errors = [
            mask * (self.wanted(reward, goes_on, next_x) - self.value(x, action)) ** 2
            for x, action, reward, goes_on, next_x, mask in batch
        ]
        return sum(errors) / len(batch)

    def slopes(self, batch):
        """The gradient of the loss, by the chain rule."""
        slopes = [[np.zeros_like(w), np.zeros_like(b)] for w, b in self.online]
        for x, action, reward, goes_on, next_x, mask in batch:
            layers = forward(self.online, x)
            error = self.value(x, action) - self.wanted(reward, goes_on, next_x)
            back = np.zeros(len(layers[-1]))
            back[action] = 2.0 * mask * error / len(batch)
            for i in reversed(range(len(self.online))):
                below = x if i == 0 else np.maximum(layers[i - 1], 0.0)
                slopes[i][0] += np.outer(below, back)
                slopes[i][1] += back
                if i > 0:
                    back = (self.online[i][0] @ back) * (layers[i - 1] > 0.0)
        return [each for layer in slopes for each in layer]

    def learn(self, batch):
        """A step of Adam, as its authors have it, with rates 0.9 and 0.999 and 1e-8."""
        self.updates += 1
        places = [each for layer in self.online for each in layer]
        for i, (place, slope) in enumerate(zip(places, self.slopes(batch), strict=True)):
            self.first[i] = 0.9 * self.first[i] + 0.1 * slope
            self.second[i] = 0.999 * self.second[i] + 0.001 * slope**2
            mean = self.first[i] / (1 - 0.9**self.updates)
            square = self.second[i] / (1 - 0.999**self.updates)
            place -= self.learning_rate * mean / (np.sqrt(square) + 1e-8)


def forward(network, x):
    """The output of each layer, before rectification."""
    given, x = [], np.asarray(x, float)
    for weights, biases in network:
        given.append(x @ weights + biases)
        x = np.maximum(given[-1], 0.0)
    return given
