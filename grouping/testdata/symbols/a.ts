export interface Options {
  name: string;
  run(x: number): void;
}

type Pair = [number, number];

export enum Color { Red, Green = 2 }

namespace space {
  export function inside(): void {}
}

export abstract class Service {
  private count = 0;

  @logged
  public handle(o: Options): Pair {
    return [1, 2];
  }
}

declare function ambient(x: string): number;
