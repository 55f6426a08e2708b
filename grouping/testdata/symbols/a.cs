using System;

namespace App.Models
{
    /// <summary>Documented.</summary>
    [Serializable]
    public class Thing : Base
    {
        private int count, other;
        public int Size { get; set; }

        public Thing() { }

        public override string ToString()
        {
            return "x";
        }

        enum Color { Red, Green }
    }

    delegate void Handler(int x);
}
