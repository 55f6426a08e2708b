import x from './x.js';

/** Documented. */
export function plain(a) {
  const local = 1;
  return local;
}

export const arrow = async (x) => {
  const inner = x;
  function nested() {}
  return inner;
};

const { p, q } = x;

class Base extends x {
  #secret = 1;
  field = 2;
  static make() {
    return new Base();
  }
}

module.exports.legacy = function () {
  return 1;
};

export default class Other {}

Base.prototype = {
  named: function named() {
    return { inner: function () {} };
  },
  brief: () => 1,
  value: 3,
};

module.exports = {
  renamed: named,
  p,
  count: 3,
};

const table = {
  kept: p,
};

(function (root, factory) {
  factory(root.exports = {});
}(this, function factory(exports) {
  function Reader(text) {
    this.text = text;
  }

  /** Documented. */
  Reader.prototype.next = function next(n) {
    var skip = function () {};
    return this.text[n];
  };

  exports.Reader = Reader;
}));
